// Generated from docs/openapi.json by `pnpm openapi`. Not to be edited.

/** An API key of the account. */
export type ApiKey = {
  id: string;
  name: string | null;
  /** First characters of the key. */
  hint: string;
  /** `manage` is for everything that changes something, `read` for the rest. */
  scopes: ("read" | "manage")[];
  created_at: string;
  /** `operator`, or the address of a member; null where it is not known. */
  created_by: string | null;
  /** Up to a minute behind; null before the first request. */
  last_used_at: string | null;
  /** Null while the key is valid. */
  revoked_at: string | null;
};

export type ApiKeyList = {
  /** Newest first. */
  data: ApiKey[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

/** An artist that the account watches. */
export type Artist = {
  /** Used as `artist_id` in changes. */
  id: string;
  /** The artist's identifier on the streaming platform. */
  platform_id: string;
  /** The name, or the `platform_id` until the first observation. */
  name: string;
  /** The last known value; 0 before the first. */
  monthly_listeners: number;
  /** The last known value; 0 before the first. */
  followers: number;
  /** The two numbers are at least this recent. Null until an observation after `watched_since` showed them. */
  metrics_observed_at: string | null;
  /** `pending` until the first complete observation after `watched_since`; `active`; `not_found`: no such artist exists, and after an hour it no longer counts toward the artists of your plan; `stale`: overdue, because there was no complete observation for three intervals of your plan; `merged`: Deezer or Spotify answers with another artist, which `POST /artists/{id}/follow-merge` watches instead. */
  status: "pending" | "active" | "not_found" | "stale" | "merged";
  /** The other artist's identifier on the streaming platform. Null unless `status` is `merged`. */
  merged_into: string | null;
  /** Why the last observation was not complete. Null unless `status` is `stale`. */
  stale_reason: {
    /** Known codes: rate_limited, platform_error, unclear_response, incomplete_list, not_checked. The list may grow: accept others. */
    code: string;
    /** A sentence for people. */
    message: string;
  } | null;
  /** The last complete observation at the interval of your plan. Null before the first one after `watched_since`. */
  last_complete_at: string | null;
  /** Latest time of the next observation. A new artist is observed within seconds. A time in the past means that the observation is late. */
  next_read_at: string;
  /** When the account started to watch the artist. */
  watched_since: string;
  /** The artist's page on Deezer or Spotify. */
  platform_url: string;
  /** `unavailable`: no observation has shown the number, so its 0 is not a count. Deezer and Spotify do not show listeners. */
  metrics: {
    followers: "available" | "unavailable";
    monthly_listeners: "available" | "unavailable";
  };
};

/** An artist on Deezer or Spotify, watched or not. */
export type ArtistCandidate = {
  platform_id: string;
  name: string;
  /** Null if unknown. */
  followers: number | null;
  /** The artist's page on Deezer or Spotify. */
  platform_url: string;
};

/** A suspected change, neither confirmed nor dismissed yet. */
export type ArtistCheck = {
  /** Id of the change if it is confirmed. */
  id: string;
  /** Type of that change. */
  type: string;
  severity: "critical" | "warning" | "info";
  /** `held`: on hold, because so much is missing at once that more observations are needed. */
  state: "suspected" | "held";
  entity_type: "artist" | "release" | "track";
  entity_id: string;
  entity_name: string;
  platform_url: string;
  /** The release of a track. */
  release_id: string | null;
  /** The progress, in a sentence for people. */
  summary: string;
  /** The first observation that counts. */
  detected_at: string;
  last_observed_at: string;
  observations: {
    counted: number;
    needed: number;
  };
  /** The earliest time of confirmation. */
  certain_at: string;
};

export type ArtistCheckList = {
  /** Oldest first. */
  data: ArtistCheck[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

/** Numbers of an artist on a UTC day. Null means unknown. */
export type ArtistDay = {
  /** UTC. */
  day: string;
  followers: number | null;
  /** Null if Deezer or Spotify does not show them. */
  monthly_listeners: number | null;
  releases: number | null;
  /** Tracks of the releases whose tracks are known. */
  tracks: number | null;
  /** Observations of the day, at most as many as your plan makes. */
  readings: number;
  /** Complete observations among `readings`. */
  complete_readings: number;
};

export type ArtistDayList = {
  /** Oldest first. */
  data: ArtistDay[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

/** An artist that the account watches, with counts. */
export type ArtistDetail = {
  /** Used as `artist_id` in changes. */
  id: string;
  /** The artist's identifier on the streaming platform. */
  platform_id: string;
  /** The name, or the `platform_id` until the first observation. */
  name: string;
  /** The last known value; 0 before the first. */
  monthly_listeners: number;
  /** The last known value; 0 before the first. */
  followers: number;
  /** The two numbers are at least this recent. Null until an observation after `watched_since` showed them. */
  metrics_observed_at: string | null;
  /** `pending` until the first complete observation after `watched_since`; `active`; `not_found`: no such artist exists, and after an hour it no longer counts toward the artists of your plan; `stale`: overdue, because there was no complete observation for three intervals of your plan; `merged`: Deezer or Spotify answers with another artist, which `POST /artists/{id}/follow-merge` watches instead. */
  status: "pending" | "active" | "not_found" | "stale" | "merged";
  /** The other artist's identifier on the streaming platform. Null unless `status` is `merged`. */
  merged_into: string | null;
  /** Why the last observation was not complete. Null unless `status` is `stale`. */
  stale_reason: {
    /** Known codes: rate_limited, platform_error, unclear_response, incomplete_list, not_checked. The list may grow: accept others. */
    code: string;
    /** A sentence for people. */
    message: string;
  } | null;
  /** The last complete observation at the interval of your plan. Null before the first one after `watched_since`. */
  last_complete_at: string | null;
  /** Latest time of the next observation. A new artist is observed within seconds. A time in the past means that the observation is late. */
  next_read_at: string;
  /** When the account started to watch the artist. */
  watched_since: string;
  /** The artist's page on Deezer or Spotify. */
  platform_url: string;
  /** `unavailable`: no observation has shown the number, so its 0 is not a count. Deezer and Spotify do not show listeners. */
  metrics: {
    followers: "available" | "unavailable";
    monthly_listeners: "available" | "unavailable";
  };
  counts: {
    /** Known releases. Null until the first complete observation. */
    releases: number | null;
    /** Tracks of the releases whose tracks are known. */
    tracks: number | null;
    /** Changes in the account's feed within the plan's history. */
    changes: number;
    /** Suspected changes now. */
    checks: number;
  };
};

export type ArtistList = {
  /** Longest watched first. */
  data: Artist[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

/** The known state of a release. Null means unknown. */
export type ArtistRelease = {
  platform_id: string;
  platform_url: string;
  title: string | null;
  /** album, single, ep, compilation. */
  type: string | null;
  /** YYYY-MM-DD, or shorter. */
  release_date: string | null;
  label: string | null;
  upc: string | null;
  explicit: boolean | null;
  /** Identifies the content of the cover. */
  artwork_id: string | null;
  /** ISO 3166-1 alpha-2 codes; null if unknown. */
  markets: string[] | null;
  credits: ({
    platform_id: string | null;
    name: string;
  })[] | null;
  /** Null until they are read. */
  tracks: ({
    platform_id: string;
    platform_url: string;
    title: string | null;
    isrc: string | null;
    /** Position in the release, across all discs. */
    position: number | null;
    explicit: boolean | null;
    credits: ({
      platform_id: string | null;
      name: string;
    })[] | null;
  })[] | null;
};

export type ArtistReleaseList = {
  /** Newest first. Releases without a date come last. */
  data: ArtistRelease[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

export type ArtistSearch = {
  /** In the order of Deezer or Spotify. */
  data: ({
    platform_id: string;
    name: string;
    /** Null if unknown. */
    followers: number | null;
    /** The artist's page on Deezer or Spotify. */
    platform_url: string;
    /** The artist if the account watches it, otherwise null. */
    artist_id: string | null;
  })[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

/** One POST. */
export type Attempt = {
  id: string;
  /** From 1, over all rounds: the value of X-Service-Attempt. */
  number: number;
  outcome: "succeeded" | "failed";
  /** Whose fault: the receiver's, or an address that policy forbids; null when it succeeded. */
  blame: "receiver" | "policy" | null;
  /** Null when no status line arrived. */
  status_code: number | null;
  /** A token for programs; null when it succeeded. */
  error: string | null;
  /** A sentence for people; null when it succeeded. */
  reason: string | null;
  /** What to do about it, a sentence for people; null when it succeeded. */
  advice: string | null;
  /** At most 4 KiB of what the receiver said. */
  response_excerpt: string | null;
  started_at: string;
  ended_at: string;
  duration_ms: number;
};

/** The result of one line. */
export type BulkLine = {
  /** Line number from 1. In CSV, the line of the file. */
  line: number;
  input: string;
  /** `watched` from now on; `already_watched`; `limit_reached`: see `error`; `ambiguous`: several artists have the name, or none has exactly this one, see `candidates`; `unknown`: no artist found; `invalid`: see `error`; `not_looked_up`: the lookup of the name or short link took too long, see `error`, and send the line again. */
  result: "watched" | "already_watched" | "limit_reached" | "ambiguous" | "unknown" | "invalid" | "not_looked_up";
  /** The artist if the account watches it now. */
  artist: {
    /** Used as `artist_id` in changes. */
    id: string;
    /** The artist's identifier on the streaming platform. */
    platform_id: string;
    /** The name, or the `platform_id` until the first observation. */
    name: string;
    /** The last known value; 0 before the first. */
    monthly_listeners: number;
    /** The last known value; 0 before the first. */
    followers: number;
    /** The two numbers are at least this recent. Null until an observation after `watched_since` showed them. */
    metrics_observed_at: string | null;
    /** `pending` until the first complete observation after `watched_since`; `active`; `not_found`: no such artist exists, and after an hour it no longer counts toward the artists of your plan; `stale`: overdue, because there was no complete observation for three intervals of your plan; `merged`: Deezer or Spotify answers with another artist, which `POST /artists/{id}/follow-merge` watches instead. */
    status: "pending" | "active" | "not_found" | "stale" | "merged";
    /** The other artist's identifier on the streaming platform. Null unless `status` is `merged`. */
    merged_into: string | null;
    /** Why the last observation was not complete. Null unless `status` is `stale`. */
    stale_reason: {
      /** Known codes: rate_limited, platform_error, unclear_response, incomplete_list, not_checked. The list may grow: accept others. */
      code: string;
      /** A sentence for people. */
      message: string;
    } | null;
    /** The last complete observation at the interval of your plan. Null before the first one after `watched_since`. */
    last_complete_at: string | null;
    /** Latest time of the next observation. A new artist is observed within seconds. A time in the past means that the observation is late. */
    next_read_at: string;
    /** When the account started to watch the artist. */
    watched_since: string;
    /** The artist's page on Deezer or Spotify. */
    platform_url: string;
    /** `unavailable`: no observation has shown the number, so its 0 is not a count. Deezer and Spotify do not show listeners. */
    metrics: {
      followers: "available" | "unavailable";
      monthly_listeners: "available" | "unavailable";
    };
  } | null;
  /** Set for `limit_reached`, `invalid` and `not_looked_up`. */
  error: {
    code: "invalid_json" | "invalid_input" | "invalid_since" | "invalid_cursor" | "invalid_limit" | "invalid_isrc" | "unsupported_url" | "unauthorized" | "insufficient_scope" | "plan_required" | "plan_limit_reached" | "not_found" | "track_not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "idempotency_conflict" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "daily_allowance_exceeded" | "headers_too_large" | "internal_error" | "upstream_error" | "service_unavailable" | "upstream_unavailable" | "upstream_timeout";
    message: string;
  } | null;
  /** Set for `ambiguous`, at most five. */
  candidates: ArtistCandidate[];
};

export type BulkLines = {
  /** In the order of the lines. */
  data: BulkLine[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

export type BulkWatch = {
  /** One artist per line: a Deezer or Spotify id, link or short link, or a name. A name with the form of an id is taken as an id. */
  artists: string[];
};

/** A confirmed change to a watched artist. `before` or `after` is left out where its JSON is longer than 1000 characters. */
export type Change = {
  id: string;
  /** Known types: release_removed, track_removed, artist_removed, artist_merged, artist_restored, release_added, track_added, release_restored, release_replaced, release_moved, release_title_changed, track_title_changed, release_date_changed, artwork_changed, label_changed, upc_changed, track_replaced, credits_changed, explicit_flag_changed, artist_image_changed, isrc_changed, artist_name_changed, availability_reduced, availability_expanded, followers_spike, followers_drop. The list may grow: accept others. */
  type: string;
  /** Highest first: critical, warning, info. */
  severity: "critical" | "warning" | "info";
  artist_id: string;
  /** A sentence for people. */
  summary: string;
  /** When the change was confirmed; what `since` compares with. */
  confirmed_at: string;
  /** What kind of thing changed. */
  entity_type: "artist" | "release" | "track";
  /** The thing's identifier on the streaming platform. */
  entity_id: string;
  entity_name: string;
  /** When the change was first seen. */
  detected_at: string;
  /** As it was when the change was confirmed. */
  artist_name: string;
  /** The entity's page on Deezer or Spotify. Null if `entity_id` is not one of their ids. */
  platform_url: string | null;
  /** When the change was recorded, possibly long after `confirmed_at`. It equals `confirmed_at` for changes recorded before this field existed. */
  recorded_at: string;
  before?: ChangeValue;
  after?: ChangeValue;
};

/** Countries in which many releases of an artist could be played. */
export type ChangeCatalogue = {
  /** ISO 3166-1 alpha-2 codes. */
  markets: string[];
  releases: {
    platform_id: string;
    title: string;
  }[];
  /** How many releases the artist has in all. */
  release_count: number;
};

/** Changes by UTC day. Days without a change are there, and hold zeros. */
export type ChangeCounts = {
  data: {
    /** A UTC day. */
    day: string;
    total: number;
    critical: number;
    warning: number;
    info: number;
  }[];
};

/** A credited artist. */
export type ChangeCredit = {
  platform_id: string | null;
  name: string;
};

/** A confirmed change with the evidence for it. */
export type ChangeDetail = {
  id: string;
  /** Known types: release_removed, track_removed, artist_removed, artist_merged, artist_restored, release_added, track_added, release_restored, release_replaced, release_moved, release_title_changed, track_title_changed, release_date_changed, artwork_changed, label_changed, upc_changed, track_replaced, credits_changed, explicit_flag_changed, artist_image_changed, isrc_changed, artist_name_changed, availability_reduced, availability_expanded, followers_spike, followers_drop. The list may grow: accept others. */
  type: string;
  /** Highest first: critical, warning, info. */
  severity: "critical" | "warning" | "info";
  artist_id: string;
  /** A sentence for people. */
  summary: string;
  /** When the change was confirmed; what `since` compares with. */
  confirmed_at: string;
  /** What kind of thing changed. */
  entity_type: "artist" | "release" | "track";
  /** The thing's identifier on the streaming platform. */
  entity_id: string;
  entity_name: string;
  /** When the change was first seen. */
  detected_at: string;
  /** As it was when the change was confirmed. */
  artist_name: string;
  /** The entity's page on Deezer or Spotify. Null if `entity_id` is not one of their ids. */
  platform_url: string | null;
  /** When the change was recorded, possibly long after `confirmed_at`. It equals `confirmed_at` for changes recorded before this field existed. */
  recorded_at: string;
  before: ChangeValue;
  after: ChangeValue;
  /** The release of a track. Null for artists and releases. */
  release_id: string | null;
  release_name: string | null;
  /** `observed` by us, or `reported` by another detector, which has the evidence. */
  origin: "observed" | "reported";
  /** The evidence, oldest first. Empty for a reported change. */
  observations: ChangeObservation[];
};

export type ChangeList = {
  /** Newest first; with `after`, in the order in which they became readable. */
  data: Change[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

/** An observation that counted for a change, or that did not count. */
export type ChangeObservation = {
  observed_at: string;
  /** `counted` counts towards the change. `not_counted` does not, and the sentence says why. `held`: on hold for more observations, because so much was missing at once. */
  kind: "counted" | "not_counted" | "held";
  /** A sentence for people. */
  text: string;
  /** The requests and their results. Empty if nothing was read. */
  readings: ({
    /** `list`: a complete list or entity. `direct`: the entity, requested by its own id. */
    read: "list" | "direct";
    /** `missing` from the list, `changed`, `present` as before, `gone` for good, or an `unclear` response. */
    said: "missing" | "changed" | "present" | "gone" | "unclear";
  })[];
  seen: ChangeValue;
};

/** What identifies a release that came or went. */
export type ChangeRelease = {
  platform_id: string;
  title: string | null;
  /** album, single, ep, compilation. */
  type: string | null;
  /** YYYY-MM-DD, or shorter. */
  release_date: string | null;
  upc: string | null;
};

/** What identifies a track that came or went. */
export type ChangeTrack = {
  platform_id: string;
  title: string | null;
  isrc: string | null;
  /** From 1, over all discs. */
  position: number | null;
};

/** Text (title, name, label, UPC, ISRC), a date, the content id of a picture, a flag, a number, credits, countries, or what identifies a release or a track. The type of the change decides which one it is; null for what was not there, is no longer there, or was not reported. */
export type ChangeValue = string | number | boolean | ChangeCredit[] | string[] | ChangeRelease | ChangeTrack | ChangeCatalogue | null;

export type CreatedDestination = {
  id: string;
  /** Given by its owner; null for none. */
  name: string | null;
  kind: "webhook" | "slack" | "discord";
  /** Of a Slack or Discord destination without its secret part. */
  url: string;
  /** Nothing but tests is sent while it is off. */
  state: "active" | "off";
  /** True while the account's plan has no destinations of this kind: nothing is sent, whatever the state. */
  paused_by_plan: boolean;
  /** Are its webhooks signed? */
  signed: boolean;
  /** True from rotate-secret to activate-secret: the next secret is not active yet. */
  next_secret_pending: boolean;
  rules: DestinationRules;
  /** Failed attempts in a row; the 20th switches it off. */
  consecutive_failures: number;
  created_at: string;
  switched_off_at: string | null;
  switched_off_reason: string | null;
  /** Of the last 24 hours. */
  stats_24h: {
    /** All of them, the newest 10,000 at most. */
    deliveries: number;
    pending: number;
    succeeded: number;
    failed: number;
    skipped: number;
  };
  /** Of the present run of failures, newest first; empty after a success or enable. */
  warnings: DestinationWarning[];
  /** What happened to it, newest first: the newest 20 about failures, and the newest 20 others. */
  notices: DestinationNotice[];
  /** Shown in this one answer only; null for unsigned. */
  secret: string | null;
};

export type CreateDestination = {
  /** For people, 1 to 100 characters; null for none. */
  name?: string | null;
  /** A webhook of your own (Business), or a channel of Slack or Discord (from Starter on), whose incoming-webhook address is the url: it holds a secret, and no answer shows all of it. */
  kind?: "webhook" | "slack" | "discord";
  /** An absolute http or https address on the public internet; port 80, 443 or 1024 to 65535, no user info. The pattern is that of addresses by name; a public IP address in place of the name is accepted too. */
  url: string;
  /** "generate", one of your own with 16 to 256 printable ASCII characters without a comma, or null for unsigned webhooks. Slack and Discord destinations have none. */
  secret?: string | null;
  rules?: DestinationRulesInput;
};

/** A token for the private Atom feed, with the token. */
export type CreatedFeed = {
  id: string;
  name: string | null;
  /** First characters of the token. */
  hint: string;
  created_at: string;
  /** The address of a member, the id of an API key, or `operator`. */
  created_by: string;
  /** Up to a minute behind; null before the first request. */
  last_used_at: string | null;
  /** Shown this once. */
  token: string;
  /** Where the feed is, below the origin of {base_url}; takes the filters of changes too. */
  path: string;
};

export type CreateFeed = {
  /** For people, 1 to 100 characters; null for none. */
  name?: string | null;
};

/** One change to one destination. */
export type Delivery = {
  id: string;
  destination_id: string;
  /** Null for a test. */
  change_id: string | null;
  state: "pending" | "succeeded" | "failed" | "skipped";
  /** What set it going: a confirmed change, or a person who tests, resends or recovers. */
  trigger: "change" | "recover" | "test" | "resend";
  attempt_count: number;
  /** Null unless pending. */
  next_attempt_at: string | null;
  created_at: string;
  /** Null while pending. */
  settled_at: string | null;
  skipped_reason: string | null;
};

export type DeliveryDetail = {
  id: string;
  destination_id: string;
  /** Null for a test. */
  change_id: string | null;
  state: "pending" | "succeeded" | "failed" | "skipped";
  /** What set it going: a confirmed change, or a person who tests, resends or recovers. */
  trigger: "change" | "recover" | "test" | "resend";
  attempt_count: number;
  /** Null unless pending. */
  next_attempt_at: string | null;
  created_at: string;
  /** Null while pending. */
  settled_at: string | null;
  skipped_reason: string | null;
  /** First one first. */
  attempts: Attempt[];
  /** Null for a test. */
  change: {
    type: string;
    severity: "critical" | "warning" | "info";
    summary: string;
    entity_type: "artist" | "release" | "track";
    entity_name: string;
    artist_id: string;
    /** As it was when the change was confirmed. */
    artist_name: string;
  } | null;
  /** Null once the change is past every history. */
  request: {
    method: "POST";
    /** The address of the destination, as it is now. */
    url: string;
    /** Of the newest attempt, or of the first one to come; the signature is hidden. */
    headers: {
      name: string;
      value: string;
    }[];
    /** The exact bytes that every attempt sends, in UTF-8. */
    body: string;
  } | null;
};

export type DeliveryList = {
  /** Newest first. */
  data: Delivery[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

/** An address of the account that changes are posted to. */
export type Destination = {
  id: string;
  /** Given by its owner; null for none. */
  name: string | null;
  kind: "webhook" | "slack" | "discord";
  /** Of a Slack or Discord destination without its secret part. */
  url: string;
  /** Nothing but tests is sent while it is off. */
  state: "active" | "off";
  /** True while the account's plan has no destinations of this kind: nothing is sent, whatever the state. */
  paused_by_plan: boolean;
  /** Are its webhooks signed? */
  signed: boolean;
  /** True from rotate-secret to activate-secret: the next secret is not active yet. */
  next_secret_pending: boolean;
  rules: DestinationRules;
  /** Failed attempts in a row; the 20th switches it off. */
  consecutive_failures: number;
  created_at: string;
  switched_off_at: string | null;
  switched_off_reason: string | null;
  /** Of the last 24 hours. */
  stats_24h: {
    /** All of them, the newest 10,000 at most. */
    deliveries: number;
    pending: number;
    succeeded: number;
    failed: number;
    skipped: number;
  };
  /** Of the present run of failures, newest first; empty after a success or enable. */
  warnings: DestinationWarning[];
  /** What happened to it, newest first: the newest 20 about failures, and the newest 20 others. */
  notices: DestinationNotice[];
};

export type DestinationList = {
  /** All of them, newest first. */
  data: Destination[];
  next_cursor: null;
};

/** What happened to a destination. Kinds may be added. */
export type DestinationNotice = {
  id: string;
  kind: "warning" | "switched_off" | "disabled" | "enabled" | "secret_rotated" | "secret_activated" | "paused_by_plan" | "resumed_by_plan";
  at: string;
  /** In a row, at that instant. */
  consecutive_failures: number;
  message: string;
};

/** Which changes the destination lets through: all three must pass, by any entry of a list. */
export type DestinationRules = {
  /** The lowest severity that passes; null for every one. */
  min_severity: "critical" | "warning" | "info" | null;
  /** Empty for every type. */
  change_types: string[];
  /** Empty for every watched artist. */
  artist_ids: string[];
};

/** What is left out lets everything through, or stays as it is. Two long lists are best sent in two requests: a body has at most 16 KiB. */
export type DestinationRulesInput = {
  /** The lowest severity that passes; null for every one. */
  min_severity?: "critical" | "warning" | "info" | null;
  /** Known types, listed at `type` of a change; empty for every type; at most 200. */
  change_types?: ("release_removed" | "track_removed" | "artist_removed" | "artist_merged" | "artist_restored" | "release_added" | "track_added" | "release_restored" | "release_replaced" | "release_moved" | "release_title_changed" | "track_title_changed" | "release_date_changed" | "artwork_changed" | "label_changed" | "upc_changed" | "track_replaced" | "credits_changed" | "explicit_flag_changed" | "artist_image_changed" | "isrc_changed" | "artist_name_changed" | "availability_reduced" | "availability_expanded" | "followers_spike" | "followers_drop")[];
  /** Empty for every watched artist; at most 400. */
  artist_ids?: string[];
};

export type DestinationWarning = {
  kind: "warning" | "switched_off";
  at: string;
  /** In a row, at that instant. */
  consecutive_failures: number;
  message: string;
};

/** A token for the private Atom feed. */
export type Feed = {
  id: string;
  name: string | null;
  /** First characters of the token. */
  hint: string;
  created_at: string;
  /** The address of a member, the id of an API key, or `operator`. */
  created_by: string;
  /** Up to a minute behind; null before the first request. */
  last_used_at: string | null;
};

export type FeedList = {
  /** Newest first: all there are. */
  data: Feed[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

export type Lookup = {
  /** Null if unknown. */
  isrc: string | null;
  track: Track;
  source: Source;
};

export type LookupRequest = {
  /** A Deezer or Spotify link to a track, on the platform in use. The pattern shows all forms. Short links are accepted too. */
  input: string;
};

export type MatchingRecoveryPreview = {
  /** Nothing was sent. */
  dry_run: true;
  /** Deliveries that a recovery without `dry_run` would send, over all its calls. */
  would_send: number;
  /** The same number as `would_send`; use that. */
  recovered: number;
  /** The one that was made first; null where there is none. */
  first: {
    id: string;
    destination_id: string;
    /** Null for a test. */
    change_id: string | null;
    state: "pending" | "succeeded" | "failed" | "skipped";
    /** What set it going: a confirmed change, or a person who tests, resends or recovers. */
    trigger: "change" | "recover" | "test" | "resend";
    attempt_count: number;
    /** Null unless pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
  /** The one that was made last; null where there is none. */
  last: {
    id: string;
    destination_id: string;
    /** Null for a test. */
    change_id: string | null;
    state: "pending" | "succeeded" | "failed" | "skipped";
    /** What set it going: a confirmed change, or a person who tests, resends or recovers. */
    trigger: "change" | "recover" | "test" | "resend";
    attempt_count: number;
    /** Null unless pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
  /** Matching deliveries of existing destinations that are off or paused: these are not sent. */
  left_out: number;
};

/** A person with access to the account. */
export type Member = {
  id: string;
  email: string;
  /** An owner also manages members, keys and secrets. */
  role: "owner" | "member";
  created_at: string;
  /** The first sign-in; null while the member is only invited. */
  joined_at: string | null;
};

export type MemberList = {
  /** Oldest first. */
  data: Member[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

export type PreviewedChange = {
  id: string;
  type: string;
  severity: "critical" | "warning" | "info";
  entity_type: "artist" | "release" | "track";
  entity_name: string;
  artist_id: string;
  /** As it was when the change was confirmed. */
  artist_name: string;
  summary: string;
  confirmed_at: string;
  /** The rules that it does not pass; empty for one that matches. */
  kept_back_by: ("min_severity" | "change_types" | "artist_ids")[];
};

export type PreviewRulesRequest = {
  rules: DestinationRulesInput;
};

export type Recovered = {
  /** Deliveries that are being sent, at most 10,000 per call. */
  recovered: number;
  /** Matching deliveries after these. Continue with `next_cursor`. */
  remaining: number;
  /** The `cursor` of the next call; null if nothing remains. */
  next_cursor: string | null;
};

export type RecoverMatchingRequest = {
  /** RFC 3339 instant with a zone; deliveries made at this instant or later. */
  since: string;
  /** RFC 3339 instant with a zone, after since: only deliveries made before it. No end unless given. */
  until?: string;
  /** Only to this destination, which must be on. */
  destination?: string;
  /** Only in this state; both unless given. */
  state?: "failed" | "skipped";
  /** Only of this change. */
  change?: string;
  /** Only what was last set going so. */
  trigger?: "change" | "resend" | "recover";
  /** Only what failed so: the error of the newest failed attempt. */
  error?: "unexpected_status" | "redirected" | "timed_out" | "connection_reset" | "connection_closed" | "malformed_answer" | "headers_too_large" | "tls_failed" | "tls_refused" | "client_certificate_required" | "http2_required" | "certificate_expired" | "certificate_not_yet_valid" | "certificate_revoked" | "certificate_name_mismatch" | "certificate_self_signed" | "certificate_not_trusted" | "certificate_too_weak" | "certificate_chain_incomplete" | "address_revoked" | "channel_unavailable" | "posting_forbidden" | "message_refused" | "forbidden_address" | "forbidden_port" | "forbidden_destination" | "name_not_found" | "name_lookup_failed" | "connection_refused" | "connection_timed_out" | "connection_failed";
  /** Only where the newest failed attempt was answered so; none: no status line came. */
  status_class?: "3xx" | "4xx" | "5xx" | "none";
  /** Only where the newest failed attempt is its fault. */
  blame?: "receiver" | "policy";
  /** `next_cursor` of the call before, with the same range and filters: the recovery continues after it. */
  cursor?: string;
  /** True to send nothing, and to see what would be sent. */
  dry_run?: boolean;
};

export type RecoverRequest = {
  /** RFC 3339 instant with a zone; deliveries made from then on, inclusive. What was pending when a destination was switched off was made before that: take the time of its first warning, or earlier. */
  since: string;
  /** RFC 3339 instant with a zone, after since: only deliveries made before it. No end unless given. */
  until?: string;
  /** `next_cursor` of the call before, with the same range and filters: the recovery continues after it. */
  cursor?: string;
  /** True to send nothing, and to see what would be sent. */
  dry_run?: boolean;
};

export type RecoveryPreview = {
  /** Nothing was sent. */
  dry_run: true;
  /** Deliveries that a recovery without `dry_run` would send, over all its calls. */
  would_send: number;
  /** The same number as `would_send`; use that. */
  recovered: number;
  /** The one that was made first; null where there is none. */
  first: {
    id: string;
    destination_id: string;
    /** Null for a test. */
    change_id: string | null;
    state: "pending" | "succeeded" | "failed" | "skipped";
    /** What set it going: a confirmed change, or a person who tests, resends or recovers. */
    trigger: "change" | "recover" | "test" | "resend";
    attempt_count: number;
    /** Null unless pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
  /** The one that was made last; null where there is none. */
  last: {
    id: string;
    destination_id: string;
    /** Null for a test. */
    change_id: string | null;
    state: "pending" | "succeeded" | "failed" | "skipped";
    /** What set it going: a confirmed change, or a person who tests, resends or recovers. */
    trigger: "change" | "recover" | "test" | "resend";
    attempt_count: number;
    /** Null unless pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
};

export type Reverse = {
  /** Normalised: 12 upper-case characters. */
  isrc: string;
  /** The first of the matches. */
  track: {
    platform_id: string;
    name: string;
    /** The track's page on Deezer or Spotify. */
    url: string;
    isrc: string | null;
    duration_ms: number | null;
    explicit: boolean | null;
    artists: ({
      platform_id: string | null;
      name: string;
    })[];
    release: {
      platform_id: string;
      name: string | null;
      /** album, single, ep, compilation. */
      type: string | null;
      /** YYYY-MM-DD, or shorter. */
      release_date: string | null;
      upc: string | null;
      label: string | null;
    } | null;
  };
  /** Every track with this ISRC that the source knows, its own choice first. */
  matches: Track[];
  source: Source;
};

export type ReverseRequest = {
  /** An ISRC; case, spaces and hyphens do not matter. */
  isrc: string;
};

export type RotatedDestination = {
  id: string;
  /** Given by its owner; null for none. */
  name: string | null;
  kind: "webhook" | "slack" | "discord";
  /** Of a Slack or Discord destination without its secret part. */
  url: string;
  /** Nothing but tests is sent while it is off. */
  state: "active" | "off";
  /** True while the account's plan has no destinations of this kind: nothing is sent, whatever the state. */
  paused_by_plan: boolean;
  /** Are its webhooks signed? */
  signed: boolean;
  /** True from rotate-secret to activate-secret: the next secret is not active yet. */
  next_secret_pending: boolean;
  rules: DestinationRules;
  /** Failed attempts in a row; the 20th switches it off. */
  consecutive_failures: number;
  created_at: string;
  switched_off_at: string | null;
  switched_off_reason: string | null;
  /** Of the last 24 hours. */
  stats_24h: {
    /** All of them, the newest 10,000 at most. */
    deliveries: number;
    pending: number;
    succeeded: number;
    failed: number;
    skipped: number;
  };
  /** Of the present run of failures, newest first; empty after a success or enable. */
  warnings: DestinationWarning[];
  /** What happened to it, newest first: the newest 20 about failures, and the newest 20 others. */
  notices: DestinationNotice[];
  /** Shown only in this response. Active after activate-secret. */
  next_secret: string;
};

export type RotateSecretRequest = {
  /** True to discard a next secret that is not active yet. Receivers must remove it. */
  replace?: boolean;
};

export type RulesPreview = {
  /** How many days are looked at, the newest 10,000 changes of them at most. */
  days: number;
  matching: {
    /** How many changes the rules would have let through. */
    count: number;
    /** At most 10 of them, newest first. */
    newest: PreviewedChange[];
  };
  others: {
    /** How many the rules would have kept back. */
    count: number;
    /** How many each rule keeps back; one that several keep back counts for each. */
    by_rule: {
      min_severity: number;
      change_types: number;
      artist_ids: number;
    };
    /** At most 10 of them, newest first. */
    newest: PreviewedChange[];
  };
};

export type Source = {
  /** Who said so. */
  name: string;
  retrieved_at: string;
};

export type TestRequest = {
  /** The type of the sample change; release_added unless given. */
  change_type?: "release_removed" | "track_removed" | "artist_removed" | "artist_merged" | "artist_restored" | "release_added" | "track_added" | "release_restored" | "release_replaced" | "release_moved" | "release_title_changed" | "track_title_changed" | "release_date_changed" | "artwork_changed" | "label_changed" | "upc_changed" | "track_replaced" | "credits_changed" | "explicit_flag_changed" | "artist_image_changed" | "isrc_changed" | "artist_name_changed" | "availability_reduced" | "availability_expanded" | "followers_spike" | "followers_drop";
  /** For how long to wait for the attempt at most; 5 unless given. */
  wait_seconds?: number;
};

export type Tools = {
  allowance: {
    /** Tool calls a UTC day, over the API and the dashboard together. */
    limit: number;
    used: number;
    remaining: number;
    /** The next 00:00 UTC. */
    resets_at: string;
  };
  /** The tools there are. */
  tools: string[];
};

/** A track. What the source does not say is null. */
export type Track = {
  platform_id: string;
  name: string;
  /** The track's page on Deezer or Spotify. */
  url: string;
  isrc: string | null;
  duration_ms: number | null;
  explicit: boolean | null;
  artists: ({
    platform_id: string | null;
    name: string;
  })[];
  release: {
    platform_id: string;
    name: string | null;
    /** album, single, ep, compilation. */
    type: string | null;
    /** YYYY-MM-DD, or shorter. */
    release_date: string | null;
    upc: string | null;
    label: string | null;
  } | null;
};

export type UpdateDestination = {
  /** For people, 1 to 100 characters; null for none. */
  name?: string | null;
  /** An absolute http or https address on the public internet; port 80, 443 or 1024 to 65535, no user info. The pattern is that of addresses by name; a public IP address in place of the name is accepted too. */
  url?: string;
  rules?: DestinationRulesInput;
};

export type Usage = {
  plan: "free" | "starter" | "pro" | "business";
  /** Artists that are watched. */
  artists: {
    used: number;
    limit: number;
  };
  /** Members of the account. */
  seats: {
    used: number;
    limit: number;
  };
  /** API keys that are not revoked. */
  keys: {
    used: number;
    limit: number;
  };
  /** Webhook destinations, paused ones included. */
  destinations: {
    used: number;
    limit: number;
  };
  /** Slack and Discord destinations, paused ones included. */
  chat_destinations: {
    used: number;
    limit: number;
  };
  /** Tool calls of the UTC day. */
  tools: {
    used: number;
    limit: number;
  };
  /** Requests an hour, over all keys of the account. */
  api_rate_per_hour: number;
  /** What the account has and its plan does not: it stays, and nothing is sent to it. */
  paused_by_plan: {
    destinations: number;
  };
};

/** What the account used on a UTC day. */
export type UsageDay = {
  /** UTC. */
  day: string;
  /** Of the API, refused ones excluded; up to a minute behind. */
  requests: number;
  tool_calls: number;
  /** Deliveries that were made on the day, whatever became of them. */
  deliveries: number;
};

export type UsageDayList = {
  /** Oldest first, the last one is today. */
  data: UsageDay[];
  /** Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address. */
  next_cursor: string | null;
};

export type WatchArtist = {
  /** The artist's Deezer or Spotify id. */
  platform_id?: string;
  /** A Deezer or Spotify link to the artist. */
  url?: string;
};

/** A confirmed change. `detected_at` and `confirmed_at` are Unix times in seconds. `before` or `after` is left out where it is long. `test` is there, and true, only where `POST /v1/destinations/{id}/test` sent it. */
export type WebhookPayload = {
  event: "change.confirmed";
  change_id: string;
  artist_id: string;
  artist: string;
  artist_platform_id: string;
  entity_type: "artist" | "release" | "track";
  entity_id: string;
  entity_name: string;
  severity: "critical" | "warning" | "info";
  change_type: string;
  summary: string;
  detected_at: number;
  before?: ChangeValue;
  after?: ChangeValue;
  platform_url?: string | null;
  confirmed_at?: number;
  test?: true;
};

/** What each operation takes and answers. */
export interface Operations {
  /** List confirmed changes */
  listChanges: {
    query?: {
      /** Changes confirmed from this instant on, inclusive; 24 hours before the request unless given. */
      since?: string;
      /** Changes of this type; of any of them where it is given several times. */
      type?: string[];
      /** Changes of this severity or higher. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** The identifier of an artist, a release or a track on the streaming platform. */
      entity_id?: string;
      /** Changes confirmed before this instant. */
      until?: string;
      /** Words that all occur in the name of the entity or the artist, or in the summary. */
      q?: string;
      /** A `next_cursor` of an earlier response to a request with `after`, or `now` to start after the newest change. The changes come in the order in which they become readable. Any filters can be used with it. */
      after?: string;
      /** How many items the page has at most. */
      limit?: number;
      /** `next_cursor` of the page before. It belongs to one list of one account. */
      cursor?: string;
    };
    result: ChangeList;
  };
  /** Count changes by day */
  countChanges: {
    query?: {
      by?: "day";
      /** From this instant on, inclusive; the first of the last 30 UTC days unless given. */
      since?: string;
      /** Changes of this type; of any of them where it is given several times. */
      type?: string[];
      /** Changes of this severity or higher. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** The identifier of an artist, a release or a track on the streaming platform. */
      entity_id?: string;
      /** Changes confirmed before this instant. */
      until?: string;
    };
    result: ChangeCounts;
  };
  /** Export changes */
  exportChanges: {
    query?: {
      /** RFC 4180 with a line of names, or one JSON object a line. */
      format?: "csv" | "ndjson";
      /** Changes confirmed at this instant or later. Default: the plan's whole history. */
      since?: string;
      /** A `next_cursor` of an earlier response to a request with `after`, or `now` to start after the newest change. The changes come in the order in which they become readable. Any filters can be used with it. */
      after?: string;
      /** The `id` of the last change that you have: the export continues with the next one. */
      continue_after?: string;
      /** Changes of this type; of any of them where it is given several times. */
      type?: string[];
      /** Changes of this severity or higher. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** The identifier of an artist, a release or a track on the streaming platform. */
      entity_id?: string;
      /** Changes confirmed before this instant. */
      until?: string;
      /** Words that all occur in the name of the entity or the artist, or in the summary. */
      q?: string;
    };
    result: string;
  };
  /** Read a change */
  showChange: {
    path: {
      id: string;
    };
    result: ChangeDetail;
  };
  /** Read changes as an Atom feed */
  readFeed: {
    query?: {
      /** Changes of this type; of any of them where it is given several times. */
      type?: string[];
      /** Changes of this severity or higher. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** The identifier of an artist, a release or a track on the streaming platform. */
      entity_id?: string;
      /** Changes confirmed before this instant. */
      until?: string;
      /** Words that all occur in the name of the entity or the artist, or in the summary. */
      q?: string;
      /** `next_cursor` of the page before. It belongs to one list of one account. */
      cursor?: string;
    };
    result: string;
  };
  /** List feeds */
  listFeeds: {
    result: FeedList;
  };
  /** Create a feed */
  createFeed: {
    body?: CreateFeed;
    result: CreatedFeed;
  };
  /** Revoke a feed */
  revokeFeed: {
    path: {
      id: string;
    };
    result: undefined;
  };
  /** Read plan and usage */
  readUsage: {
    result: Usage;
  };
  /** Read usage day by day */
  readUsageHistory: {
    query?: {
      /** How many days, today included. */
      days?: number;
    };
    result: UsageDayList;
  };
  /** List API keys */
  listKeys: {
    query?: {
      /** How many items the page has at most. */
      limit?: number;
      /** `next_cursor` of the page before. It belongs to one list of one account. */
      cursor?: string;
    };
    result: ApiKeyList;
  };
  /** List members */
  listMembers: {
    result: MemberList;
  };
  /** List watched artists */
  listArtists: {
    query?: {
      /** Only artists of this status. */
      status?: "pending" | "active" | "not_found" | "stale" | "merged";
      /** Words of the artist's name, in any case and order, or a whole id (`id` or `platform_id`). */
      q?: string;
      /** How many items the page has at most; all unless given. */
      limit?: number;
      /** `next_cursor` of the page before. It belongs to one list of one account. */
      cursor?: string;
    };
    result: ArtistList;
  };
  /** Watch an artist */
  watchArtist: {
    body: WatchArtist;
    result: Artist;
  };
  /** Watch many artists */
  watchArtists: {
    body: BulkWatch;
    result: BulkLines;
  };
  /** Search for artists */
  searchArtists: {
    query: {
      /** A name, or a part of one. */
      q: string;
    };
    result: ArtistSearch;
  };
  /** Read a watched artist */
  showArtist: {
    path: {
      id: string;
    };
    result: ArtistDetail;
  };
  /** Stop watching an artist */
  unwatchArtist: {
    path: {
      id: string;
    };
    result: undefined;
  };
  /** List suspected changes */
  listArtistChecks: {
    path: {
      id: string;
    };
    query?: {
      /** How many items the page has at most. */
      limit?: number;
      /** `next_cursor` of the page before. It belongs to one list of one account. */
      cursor?: string;
    };
    result: ArtistCheckList;
  };
  /** Follow a merged artist */
  followMerge: {
    path: {
      id: string;
    };
    result: Artist;
  };
  /** Read an artist day by day */
  readArtistMetrics: {
    path: {
      id: string;
    };
    query?: {
      /** First day. Default: the whole history. */
      since?: string;
    };
    result: ArtistDayList;
  };
  /** List an artist's releases */
  listArtistReleases: {
    path: {
      id: string;
    };
    query?: {
      /** How many items the page has at most. */
      limit?: number;
      /** `next_cursor` of the page before. It belongs to one list of one account. */
      cursor?: string;
    };
    result: ArtistReleaseList;
  };
  /** Read the daily allowance */
  readTools: {
    result: Tools;
  };
  /** Find the ISRC of a track */
  lookupTrack: {
    body: LookupRequest;
    result: Lookup;
  };
  /** Find the tracks of an ISRC */
  reverseIsrc: {
    body: ReverseRequest;
    result: Reverse;
  };
  /** List destinations */
  listDestinations: {
    result: DestinationList;
  };
  /** Make a destination */
  createDestination: {
    body: CreateDestination;
    result: CreatedDestination;
  };
  /** Preview what rules let through */
  previewRules: {
    body: PreviewRulesRequest;
    result: RulesPreview;
  };
  /** Show a destination */
  showDestination: {
    path: {
      id: string;
    };
    result: Destination;
  };
  /** Change a destination */
  updateDestination: {
    path: {
      id: string;
    };
    body: UpdateDestination;
    result: Destination;
  };
  /** Delete a destination */
  deleteDestination: {
    path: {
      id: string;
    };
    result: undefined;
  };
  /** Sign with the next secret */
  activateSecret: {
    path: {
      id: string;
    };
    result: Destination;
  };
  /** Switch a destination off */
  disableDestination: {
    path: {
      id: string;
    };
    result: Destination;
  };
  /** Switch a destination on */
  enableDestination: {
    path: {
      id: string;
    };
    result: Destination;
  };
  /** Send what was missed */
  recoverDestination: {
    path: {
      id: string;
    };
    body: RecoverRequest;
    result: RecoveryPreview | Recovered;
  };
  /** Make a next secret */
  rotateSecret: {
    path: {
      id: string;
    };
    body?: RotateSecretRequest;
    result: RotatedDestination;
  };
  /** Send a test */
  testDestination: {
    path: {
      id: string;
    };
    body?: TestRequest;
    result: DeliveryDetail;
  };
  /** List deliveries */
  listDeliveries: {
    query?: {
      /** Only to this destination. */
      destination?: string;
      /** Only in this state. */
      state?: "pending" | "succeeded" | "failed" | "skipped";
      /** Only of this change. */
      change?: string;
      /** Only made at this instant or later. */
      since?: string;
      /** Only made before this instant. */
      until?: string;
      /** Only what was set going so. */
      trigger?: "change" | "recover" | "test" | "resend";
      /** Only what failed so: the error of the newest failed attempt. */
      error?: "unexpected_status" | "redirected" | "timed_out" | "connection_reset" | "connection_closed" | "malformed_answer" | "headers_too_large" | "tls_failed" | "tls_refused" | "client_certificate_required" | "http2_required" | "certificate_expired" | "certificate_not_yet_valid" | "certificate_revoked" | "certificate_name_mismatch" | "certificate_self_signed" | "certificate_not_trusted" | "certificate_too_weak" | "certificate_chain_incomplete" | "address_revoked" | "channel_unavailable" | "posting_forbidden" | "message_refused" | "forbidden_address" | "forbidden_port" | "forbidden_destination" | "name_not_found" | "name_lookup_failed" | "connection_refused" | "connection_timed_out" | "connection_failed";
      /** Only where the newest failed attempt was answered so; none: no status line came. */
      status_class?: "3xx" | "4xx" | "5xx" | "none";
      /** Only where the newest failed attempt is its fault. */
      blame?: "receiver" | "policy";
      /** How many items the page has at most. */
      limit?: number;
      /** `next_cursor` of the page before. It belongs to one list of one account. */
      cursor?: string;
    };
    result: DeliveryList;
  };
  /** Send what was missed and matches a filter */
  recoverDeliveries: {
    body: RecoverMatchingRequest;
    result: MatchingRecoveryPreview | Recovered;
  };
  /** Show a delivery with its request and attempts */
  showDelivery: {
    path: {
      id: string;
    };
    result: DeliveryDetail;
  };
  /** Send a delivery once more */
  resendDelivery: {
    path: {
      id: string;
    };
    result: Delivery;
  };
}

/** How each operation is asked: `keyed` ones take an Idempotency-Key, `text` is answered as something else than JSON. */
export const OPERATIONS = {
  listChanges: { method: 'GET', path: '/changes', keyed: false, text: false },
  countChanges: { method: 'GET', path: '/changes/counts', keyed: false, text: false },
  exportChanges: { method: 'GET', path: '/changes/export', keyed: false, text: true },
  showChange: { method: 'GET', path: '/changes/{id}', keyed: false, text: false },
  readFeed: { method: 'GET', path: '/changes/feed.atom', keyed: false, text: true },
  listFeeds: { method: 'GET', path: '/feeds', keyed: false, text: false },
  createFeed: { method: 'POST', path: '/feeds', keyed: true, text: false },
  revokeFeed: { method: 'DELETE', path: '/feeds/{id}', keyed: false, text: false },
  readUsage: { method: 'GET', path: '/usage', keyed: false, text: false },
  readUsageHistory: { method: 'GET', path: '/usage/history', keyed: false, text: false },
  listKeys: { method: 'GET', path: '/keys', keyed: false, text: false },
  listMembers: { method: 'GET', path: '/members', keyed: false, text: false },
  listArtists: { method: 'GET', path: '/artists', keyed: false, text: false },
  watchArtist: { method: 'POST', path: '/artists', keyed: true, text: false },
  watchArtists: { method: 'POST', path: '/artists/bulk', keyed: true, text: false },
  searchArtists: { method: 'GET', path: '/artists/search', keyed: false, text: false },
  showArtist: { method: 'GET', path: '/artists/{id}', keyed: false, text: false },
  unwatchArtist: { method: 'DELETE', path: '/artists/{id}', keyed: false, text: false },
  listArtistChecks: { method: 'GET', path: '/artists/{id}/checks', keyed: false, text: false },
  followMerge: { method: 'POST', path: '/artists/{id}/follow-merge', keyed: true, text: false },
  readArtistMetrics: { method: 'GET', path: '/artists/{id}/metrics', keyed: false, text: false },
  listArtistReleases: { method: 'GET', path: '/artists/{id}/releases', keyed: false, text: false },
  readTools: { method: 'GET', path: '/tools', keyed: false, text: false },
  lookupTrack: { method: 'POST', path: '/tools/lookup', keyed: false, text: false },
  reverseIsrc: { method: 'POST', path: '/tools/reverse', keyed: false, text: false },
  listDestinations: { method: 'GET', path: '/destinations', keyed: false, text: false },
  createDestination: { method: 'POST', path: '/destinations', keyed: true, text: false },
  previewRules: { method: 'POST', path: '/destinations/preview', keyed: false, text: false },
  showDestination: { method: 'GET', path: '/destinations/{id}', keyed: false, text: false },
  updateDestination: { method: 'PATCH', path: '/destinations/{id}', keyed: false, text: false },
  deleteDestination: { method: 'DELETE', path: '/destinations/{id}', keyed: false, text: false },
  activateSecret: { method: 'POST', path: '/destinations/{id}/activate-secret', keyed: true, text: false },
  disableDestination: { method: 'POST', path: '/destinations/{id}/disable', keyed: true, text: false },
  enableDestination: { method: 'POST', path: '/destinations/{id}/enable', keyed: true, text: false },
  recoverDestination: { method: 'POST', path: '/destinations/{id}/recover', keyed: true, text: false },
  rotateSecret: { method: 'POST', path: '/destinations/{id}/rotate-secret', keyed: true, text: false },
  testDestination: { method: 'POST', path: '/destinations/{id}/test', keyed: true, text: false },
  listDeliveries: { method: 'GET', path: '/deliveries', keyed: false, text: false },
  recoverDeliveries: { method: 'POST', path: '/deliveries/recover', keyed: true, text: false },
  showDelivery: { method: 'GET', path: '/deliveries/{id}', keyed: false, text: false },
  resendDelivery: { method: 'POST', path: '/deliveries/{id}/resend', keyed: true, text: false },
} as const;
