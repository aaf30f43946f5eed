// The vendor's .NET client, driven line by line: a line in names a method and its arguments, a line out has what came of it.
//
//     ["PollForResults", "6D11…", false]      {"Answer": […], "Noticed": []}
//
// Noticed is all that the client was not content with: what it logged as a warning or worse, what it threw, and what its
// own validators say of the items that it was given.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text.Json;
using System.Threading.Tasks;
using BridgeSystems.Bridgemate.DataConnector.ScoringProgramClient;
using Microsoft.Extensions.Logging;

class Noticed : ILoggerFactory, ILogger, IDisposable
{
    public readonly List<string> Words = new List<string>();

    public ILogger CreateLogger(string category) => this;
    public void AddProvider(ILoggerProvider provider) { }
    public IDisposable BeginScope<TState>(TState state) => this;
    public bool IsEnabled(LogLevel level) => level >= LogLevel.Warning;
    public void Dispose() { }

    public void Log<TState>(
        LogLevel level, EventId id, TState state, Exception error, Func<TState, Exception, string> worded)
    {
        if (IsEnabled(level)) Words.Add($"{level}: {worded(state, error)}");
    }

    public void Judge(object item)
    {
        var validate = item?.GetType().GetMethod("Validate");
        var asked = validate?.GetParameters().Select(_ => (object)true).ToArray();
        if (validate == null || true.Equals(validate.Invoke(item, asked))) return;
        var said = item.GetType().GetProperty("ValidationMessages")?.GetValue(item) as string[];
        Words.Add($"invalid {item.GetType().Name}: {string.Join(" ", said ?? new string[0])}");
    }
}

static class Driver
{
    static async Task Main(string[] words)
    {
        var noticed = new Noticed();
        DataConnectorLogging.LoggerFactory = noticed;  // before a client is made: it keeps its loggers
        ScoringProgramDataConnectorHttpClient.UseLocalHost = true;
        object client = words[0] == "http"
            ? (object)ScoringProgramDataConnectorHttpClient.Instance(words[1], "key")
            : ScoringProgramDataConnectorPipeClient.Instance();
        for (string line; (line = Console.ReadLine()) != null;)
        {
            noticed.Words.Clear();
            object answer = null;
            try
            {
                answer = await Call(client, JsonSerializer.Deserialize<JsonElement[]>(line));
                foreach (var item in answer as IEnumerable ?? new[] { answer }) noticed.Judge(item);
            }
            catch (Exception error)
            {
                noticed.Words.Add($"threw: {error.InnerException ?? error}");
            }
            var options = new JsonSerializerOptions { IncludeFields = true };  // a tuple has fields
            Console.WriteLine(JsonSerializer.Serialize(new { Answer = answer, Noticed = noticed.Words }, options));
        }
    }

    static async Task<object> Call(object client, JsonElement[] line)
    {
        var name = line[0].GetString();
        if (name == "methods") return Methods(client).Select(method => method.Name).Distinct().ToArray();
        if (client.GetType().GetProperty(name) is PropertyInfo property) return property.GetValue(client);
        var method = Methods(client).Single(
            each => each.Name == name && each.GetParameters().Length == line.Length - 1);
        var arguments = method.GetParameters().Zip(
            line.Skip(1), (wanted, given) => given.Deserialize(wanted.ParameterType)).ToArray();
        var answer = method.Invoke(client, arguments);
        if (!(answer is Task task)) return answer;
        await task;
        return task.GetType().GetProperty("Result").GetValue(task);
    }

    static IEnumerable<MethodInfo> Methods(object client) =>
        client.GetType().GetMethods(BindingFlags.Public | BindingFlags.Instance)
            .Where(method => !method.IsSpecialName && method.DeclaringType != typeof(object));
}
