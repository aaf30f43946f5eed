<?php

// The vendor's PHP client, driven as tests/connector/dotnet/Program.cs drives the .NET client:
//
//     php driver.php FOLDER-OF-THE-CLIENT ADDRESS CLUB

declare(strict_types=1);

use Bridgemate\DataConnector\DataConnectorClient;
use Bridgemate\DataConnector\Dto;

[, $folder, $address, $club] = $argv;
const SPACE = 'Bridgemate\\DataConnector\\';
spl_autoload_register(static function (string $class) use ($folder): void {
    require $folder . '/src/' . strtr(substr($class, strlen(SPACE)), '\\', '/') . '.php';
});
const DTOS = [
    'initialize' => Dto\InitDTO::class,
    'continueEvent' => Dto\ContinueDTO::class,
    'updateMovement' => Dto\SectionUpdateDTO::class,
    'updateScoringGroups' => Dto\ScoringGroupDTO::class,
    'sendResults' => Dto\ResultDTO::class,
    'sendPlayerData' => Dto\PlayerDataDTO::class,
    'sendParticipations' => Dto\ParticipationDTO::class,
    'sendHandrecords' => Dto\HandrecordDTO::class,
    'sendTdCalls' => Dto\TdCallDTO::class,
    'sendBridgemate2Settings' => Dto\Bridgemate2SettingsDTO::class,
    'sendBridgemate3Settings' => Dto\Bridgemate3SettingsDTO::class,
];

$noticed = [];
set_error_handler(static function (int $level, string $words) use (&$noticed): bool {
    $noticed[] = $words;
    return true;
});

function call(DataConnectorClient $client, array $line): mixed
{
    $called = array_shift($line);
    $name = $called === 'Continue' ? 'continueEvent' : lcfirst($called);
    if ($name === 'methods') {
        return get_class_methods($client);
    }
    if ($name === 'acceptQueueData') {
        $line[1] = Dto\DataConnectorResponseData::from($line[1]);
    } elseif (isset(DTOS[$name])) {
        $given = array_pop($line);
        $read = [DTOS[$name], 'fromArray'];
        $line[] = array_is_list($given) ? array_map($read, $given) : $read($given);
    }
    return $client->$name(...$line);
}

$client = new DataConnectorClient($club, 'key', $address);
while (($line = fgets(STDIN)) !== false) {
    $noticed = [];
    $answer = null;
    try {
        $answer = call($client, json_decode($line, true, 512, JSON_THROW_ON_ERROR));
    } catch (Throwable $error) {
        $noticed[] = 'threw: ' . $error;
    }
    echo json_encode(['Answer' => $answer, 'Noticed' => $noticed], JSON_THROW_ON_ERROR), PHP_EOL;
}
