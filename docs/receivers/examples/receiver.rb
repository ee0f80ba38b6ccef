# A receiver that needs only Ruby's standard library (3.0 or newer). Run: SIGNING_SECRETS=whsec_... PORT=9000 ruby receiver.rb
# Behind Rack (Rails, Sinatra): is_genuine(request.get_header("HTTP_X_SERVICE_SIGNATURE"), request.body.read, ...).
require "json"
require "openssl"
require "set"
require "socket"
require "timeout"

# During a rotation there are two secrets. Ignore empty ones, because anyone can compute a signature with an empty key.
SECRETS = ENV.fetch("SIGNING_SECRETS", "").split(",").reject { |secret| secret.strip.empty? }
abort "SIGNING_SECRETS contains no secret: set it to the secret of your destination." if SECRETS.empty?
MAX_BODY_BYTES = 64 * 1024
MAX_HEADER_BYTES = 16 * 1024
SEEN = Set.new # change_ids; use a unique column in your database instead
LOCK = Mutex.new

def genuine?(header, body, now)
  parts = header.to_s.split(",").map { |part| part.strip.split("=", 2) }
  timestamps = parts.filter_map { |name, value| value if name == "t" }
  signatures = parts.filter_map { |name, value| value if name == "v1" }
  return false unless timestamps.length == 1 && timestamps[0]&.match?(/\A[0-9]{1,12}\z/)
  return false if (now - timestamps[0].to_i).abs >= 300

  SECRETS.any? do |secret|
    expected = OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamps[0]}.".b + body)
    signatures.any? do |signature|
      signature.bytesize == 64 && OpenSSL.fixed_length_secure_compare(signature, expected)
    end
  end
end

def read_change(body)
  change = JSON.parse(body.dup.force_encoding(Encoding::UTF_8))
  change if change.is_a?(Hash) && change["change_id"].is_a?(String)
rescue JSON::ParserError, EncodingError
  nil
end

def status_for(headers, body)
  # The body is raw bytes, because the signature covers the received bytes.
  return 400 unless genuine?(headers["x-service-signature"], body, Time.now.to_i)
  return 400 unless (change = read_change(body))

  # Use the signed change_id, because an attacker can repeat a signed body with another X-Service-Delivery.
  if LOCK.synchronize { SEEN.add?(change["change_id"]) }
    puts "received #{change["change_id"]} #{change["change_type"]}" # put the change into your queue here
  end
  204
end

def read_request(socket)
  head = socket.gets("\r\n\r\n", MAX_HEADER_BYTES).to_s
  return unless head.end_with?("\r\n\r\n")

  headers = head.lines.drop(1).to_h { |line| line.chomp.split(":", 2).then { |name, value| [name.to_s.downcase, value.to_s.strip] } }
  length = headers["content-length"]
  return unless length&.match?(/\A[0-9]{1,9}\z/) && length.to_i <= MAX_BODY_BYTES

  body = socket.read(length.to_i).to_s.b
  [headers, body] if body.bytesize == length.to_i
end

$stdout.sync = true
server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT", "9000")))
puts "listening on #{server.addr[1]}"
loop do
  Thread.new(server.accept) do |socket|
    # Disconnect a sender that takes longer than ten seconds to send its request.
    request = Timeout.timeout(10) { read_request(socket) }
    status = request ? status_for(*request) : 400
    reason = status == 204 ? "No Content" : "Bad Request"
    socket.write("HTTP/1.1 #{status} #{reason}\r\nConnection: close\r\n#{"Content-Length: 0\r\n" if status != 204}\r\n")
  rescue Timeout::Error, SystemCallError, IOError
    nil
  ensure
    socket.close
  end
end
