<?php
// A receiver for any PHP server. Run: SIGNING_SECRETS=whsec_… PORT=9000 php receiver.php   (PHP 8.0 or newer)
declare(strict_types=1);

const MAX_BODY_BYTES = 64 * 1024;

// During a rotation there are two secrets. Ignore empty ones, because anyone can compute a signature with an empty key.
$secrets = array_filter(explode(',', (string) getenv('SIGNING_SECRETS')), fn ($secret) => trim($secret) !== '');

function is_genuine(string $header, string $body, array $secrets, int $now): bool
{
    $timestamps = $signatures = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = explode('=', trim($part), 2) + [1 => ''];
        if ($name === 't') $timestamps[] = $value;
        if ($name === 'v1') $signatures[] = $value;
    }
    if (count($timestamps) !== 1 || !preg_match('/^[0-9]{1,12}$/D', $timestamps[0])) return false;
    if (abs($now - (int) $timestamps[0]) >= 300) return false;
    foreach ($secrets as $secret) {
        $expected = hash_hmac('sha256', $timestamps[0] . '.' . $body, $secret);
        foreach ($signatures as $signature) {
            if (hash_equals($expected, $signature)) return true; // constant time
        }
    }
    return false;
}

function answer(int $status): never
{
    http_response_code($status);
    exit;
}

if ($secrets === []) {
    fwrite(fopen('php://stderr', 'w'), "SIGNING_SECRETS contains no secret: set it to the secret of your destination.\n");
    PHP_SAPI === 'cli' ? exit(1) : answer(500);
}

// Run from a shell, this file starts PHP's built-in server for a trial. A real web server calls it for each request.
if (PHP_SAPI === 'cli') {
    $socket = stream_socket_server('tcp://127.0.0.1:' . (getenv('PORT') ?: '9000'));
    $address = stream_socket_get_name($socket, false);
    fclose($socket);
    echo 'listening on ', parse_url("tcp://$address", PHP_URL_PORT), "\n";
    pcntl_exec(PHP_BINARY, ['-q', '-S', $address, __FILE__]);
}

// The raw bytes, because the signature covers the received bytes.
$body = file_get_contents('php://input', false, null, 0, MAX_BODY_BYTES + 1);
if (strlen($body) > MAX_BODY_BYTES) answer(400);
if (!is_genuine($_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', $body, $secrets, time())) answer(400);
$change = json_decode($body, true);
if (!is_array($change) || !is_string($change['change_id'] ?? null)) answer(400);

// Use the signed change_id, because an attacker can repeat a signed body with another X-Service-Delivery. Use a
// unique column in your database instead of these files, each of which can be created only once.
$seen = sys_get_temp_dir() . '/changes-' . md5(implode(',', $secrets));
if (!is_dir($seen)) @mkdir($seen, 0700);
if (@fopen($seen . '/' . hash('sha256', $change['change_id']), 'x')) {
    // Put the change into your queue here.
    fwrite(fopen('php://stdout', 'w'), "received {$change['change_id']} " . ($change['change_type'] ?? '') . "\n");
}
answer(204);
