// A receiver that needs only the JDK (17 or newer). Run: SIGNING_SECRETS=whsec_… PORT=9000 java Receiver.java
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
    static final int MAX_BODY_BYTES = 64 * 1024;
    /** During a rotation there are two secrets. Ignore empty ones: anyone can compute a signature with an empty key. */
    static final List<String> SECRETS = Stream.of(System.getenv().getOrDefault("SIGNING_SECRETS", "").split(","))
        .filter(secret -> !secret.isBlank())
        .toList();
    static final Set<String> SEEN = ConcurrentHashMap.newKeySet(); // change_ids; use a unique column in your database instead

    static boolean isGenuine(String header, byte[] body, long now) throws GeneralSecurityException {
        List<String> timestamps = new ArrayList<>();
        List<String> signatures = new ArrayList<>();
        for (String part : header.split(",")) {
            String[] pair = part.strip().split("=", 2);
            if (pair.length < 2) continue;
            if (pair[0].equals("t")) timestamps.add(pair[1]);
            if (pair[0].equals("v1")) signatures.add(pair[1]);
        }
        if (timestamps.size() != 1 || !timestamps.get(0).matches("[0-9]{1,12}")) return false;
        String timestamp = timestamps.get(0);
        if (Math.abs(now - Long.parseLong(timestamp)) >= 300) return false;
        for (String secret : SECRETS) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
            byte[] expected = HexFormat.of().formatHex(mac.doFinal(body)).getBytes(StandardCharsets.US_ASCII);
            for (String signature : signatures) {
                byte[] given = signature.getBytes(StandardCharsets.UTF_8);
                if (MessageDigest.isEqual(given, expected)) return true; // constant time
            }
        }
        return false;
    }

    static int receive(HttpExchange exchange) throws IOException, GeneralSecurityException {
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1); // bytes, before any parsing
        String header = exchange.getRequestHeaders().getFirst("X-Service-Signature");
        if (header == null || body.length > MAX_BODY_BYTES) return 400;
        if (!isGenuine(header, body, Instant.now().getEpochSecond())) return 400;
        String json = new String(body, StandardCharsets.UTF_8).strip(); // use your JSON library instead
        String changeId = field(json, "change_id");
        if (!json.startsWith("{") || !json.endsWith("}") || changeId.isEmpty()) return 400;
        // Use the signed change_id, because an attacker can repeat a signed body with another X-Service-Delivery.
        if (SEEN.add(changeId)) System.out.println("received " + changeId + " " + field(json, "change_type"));
        return 204;
    }

    static String field(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        return matcher.find() ? matcher.group(1) : "";
    }

    public static void main(String[] arguments) throws IOException {
        if (SECRETS.isEmpty()) {
            System.err.println("SIGNING_SECRETS contains no secret: set it to the secret of your destination.");
            System.exit(1);
        }
        // A slow sender occupies a thread, so each request may take only ten seconds, and many connections are allowed.
        System.setProperty("sun.net.httpserver.maxReqTime", "10");
        System.setProperty("jdk.httpserver.maxConnections", "500");
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "9000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(receive(exchange), -1);
            } catch (GeneralSecurityException error) {
                throw new IllegalStateException(error);
            }
        });
        server.start();
        System.out.println("listening on " + server.getAddress().getPort());
    }
}
