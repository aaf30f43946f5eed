@echo off
rem Called by the other .cmd scripts, as script/env is by the others: creates .venv and installs overtrick with the extras
rem in %1, unless that was done for this pyproject.toml and constraints.txt. Sets OVERTRICK_BIN to its programs.
set "OVERTRICK_ROOT=%~dp0.."
set "OVERTRICK_BIN=%OVERTRICK_ROOT%\.venv\Scripts"
set "OVERTRICK_EXTRAS=%~1"
if not exist "%OVERTRICK_BIN%\python.exe" call :create || exit /b 1
"%OVERTRICK_BIN%\python.exe" "%~dp0env_windows.py" "%OVERTRICK_EXTRAS%"
exit /b %ERRORLEVEL%

:create
for %%v in (3.13 3.12 3.11) do (
  py -%%v -m venv "%OVERTRICK_ROOT%\.venv" 2>nul && exit /b 0
)
python -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>nul && python -m venv "%OVERTRICK_ROOT%\.venv" && exit /b 0
echo Overtrick needs Python 3.11 or later; none was found. Install it from python.org. 1>&2
exit /b 1
