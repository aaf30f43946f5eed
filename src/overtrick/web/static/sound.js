// Tones made by the browser (Web Audio), and the director's choice to switch them off.

let audio;

export const isLoud = () => localStorage.getItem("overtrick-sound") !== "off";

export const setLoud = (isOn) => localStorage.setItem("overtrick-sound", isOn ? "on" : "off");

// Play tones: each has its start in seconds, its pitch in hertz, and its length in seconds.
export function ring(tones) {
  audio ??= new AudioContext();
  for (const [start, pitch, length = 0.2] of tones) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.25, audio.currentTime + start);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + start + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(audio.currentTime + start);
    tone.stop(audio.currentTime + start + length);
  }
  document.body.dataset.rang = tones.length;
}

// Browsers allow sound only after the first click on a page.
addEventListener(
  "pointerdown",
  () => {
    audio ??= new AudioContext();
  },
  { once: true },
);
