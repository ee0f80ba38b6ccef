// Generated from docs/openapi.json by `pnpm openapi`. Do not edit.

/** An API key of the account. */
export type ApiKey = {
  id: string;
  name: string | null;
  /** First characters of the key. */
  hint: string;
  /** `manage` allows writes, `read` everything else. */
  scopes: ("read" | "manage" | (string & Record<never, never>))[];
  created_at: string;
  /** `operator`, or the email address of a member. Null if unknown. */
  created_by: string | null;
  /** Up to a minute behind. Null before the first request. */
  last_used_at: string | null;
  /** The key is rejected from this time on; null if it never expires. */
  expires_at: string | null;
  /** Null while the key is valid. */
  revoked_at: string | null;
};

export type ApiKeyList = {
  /** Newest first. */
  data: ApiKey[];
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
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
  /** `pending` until the first complete observation after `watched_since`; `active`; `not_found`: no such artist exists, and after an hour it no longer counts toward the artists of your plan; `stale`: overdue, because there was no complete observation for three intervals of your plan; `merged`: Deezer or Spotify answers with another artist, which `POST /artists/{id}/follow-merge` watches instead. Known values: `pending`, `active`, `not_found`, `stale`, `merged`. The list may grow: accept others. */
  status: "pending" | "active" | "not_found" | "stale" | "merged" | (string & Record<never, never>);
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
    /** Known values: `available`, `unavailable`. The list may grow: accept others. */
    followers: "available" | "unavailable" | (string & Record<never, never>);
    /** Known values: `available`, `unavailable`. The list may grow: accept others. */
    monthly_listeners: "available" | "unavailable" | (string & Record<never, never>);
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
  type: ChangeType;
  severity: Severity;
  /** `held`: much is missing at once, so more observations are needed than usual. Known values: `suspected`, `held`. The list may grow: accept others. */
  state: "suspected" | "held" | (string & Record<never, never>);
  entity_type: EntityType;
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
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
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
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
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
  /** `pending` until the first complete observation after `watched_since`; `active`; `not_found`: no such artist exists, and after an hour it no longer counts toward the artists of your plan; `stale`: overdue, because there was no complete observation for three intervals of your plan; `merged`: Deezer or Spotify answers with another artist, which `POST /artists/{id}/follow-merge` watches instead. Known values: `pending`, `active`, `not_found`, `stale`, `merged`. The list may grow: accept others. */
  status: "pending" | "active" | "not_found" | "stale" | "merged" | (string & Record<never, never>);
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
    /** Known values: `available`, `unavailable`. The list may grow: accept others. */
    followers: "available" | "unavailable" | (string & Record<never, never>);
    /** Known values: `available`, `unavailable`. The list may grow: accept others. */
    monthly_listeners: "available" | "unavailable" | (string & Record<never, never>);
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
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
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
  credits: ChangeCredit[] | null;
  /** Null until they are read. */
  tracks: ({
    platform_id: string;
    platform_url: string;
    title: string | null;
    isrc: string | null;
    /** Position in the release, across all discs. */
    position: number | null;
    explicit: boolean | null;
    credits: ChangeCredit[] | null;
  })[] | null;
};

export type ArtistReleaseList = {
  /** Newest first. Releases without a date come last. */
  data: ArtistRelease[];
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
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
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
  next_cursor: string | null;
};

/** One POST. */
export type Attempt = {
  id: string;
  /** Counts from 1 over all rounds, as `X-Service-Attempt` does. */
  number: number;
  /** Known values: `succeeded`, `failed`. The list may grow: accept others. */
  outcome: "succeeded" | "failed" | (string & Record<never, never>);
  /** Who caused the failure: the receiver, or an address that is not allowed (`policy`). Null on success. Known values: `receiver`, `policy`. The list may grow: accept others. */
  blame: "receiver" | "policy" | (string & Record<never, never>) | null;
  /** Null when no status line arrived. */
  status_code: number | null;
  /** For programs. Null on success. */
  error: string | null;
  /** A sentence for people. Null on success. */
  reason: string | null;
  /** How to fix it, for people. Null on success. */
  advice: string | null;
  /** At most 4 KiB of the response. */
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
  /** `watched` from now on; `already_watched`; `limit_reached`: see `error`; `ambiguous`: several artists have the name, or none has exactly this one, see `candidates`; `unknown`: no artist found; `invalid`: see `error`; `not_looked_up`: the lookup of the name or short link took too long, see `error`, and send the line again. Known values: `watched`, `already_watched`, `limit_reached`, `ambiguous`, `unknown`, `invalid`, `not_looked_up`. The list may grow: accept others. */
  result: "watched" | "already_watched" | "limit_reached" | "ambiguous" | "unknown" | "invalid" | "not_looked_up" | (string & Record<never, never>);
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
    /** `pending` until the first complete observation after `watched_since`; `active`; `not_found`: no such artist exists, and after an hour it no longer counts toward the artists of your plan; `stale`: overdue, because there was no complete observation for three intervals of your plan; `merged`: Deezer or Spotify answers with another artist, which `POST /artists/{id}/follow-merge` watches instead. Known values: `pending`, `active`, `not_found`, `stale`, `merged`. The list may grow: accept others. */
    status: "pending" | "active" | "not_found" | "stale" | "merged" | (string & Record<never, never>);
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
      /** Known values: `available`, `unavailable`. The list may grow: accept others. */
      followers: "available" | "unavailable" | (string & Record<never, never>);
      /** Known values: `available`, `unavailable`. The list may grow: accept others. */
      monthly_listeners: "available" | "unavailable" | (string & Record<never, never>);
    };
  } | null;
  /** Set for `limit_reached`, `invalid` and `not_looked_up`. */
  error: {
    /** An error code. The list may grow: accept others. */
    code?: string;
    message: string;
  } | null;
  /** Set for `ambiguous`, at most five. */
  candidates: ArtistCandidate[];
};

export type BulkLines = {
  /** In the order of the lines. */
  data: BulkLine[];
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
  next_cursor: string | null;
};

export type BulkWatch = {
  /** One artist per line: a Deezer or Spotify id, link or short link, or a name. A name with the form of an id is taken as an id. */
  artists: string[];
};

/** A confirmed change to a watched artist. `before` or `after` is omitted if its JSON is longer than 1000 characters. */
export type Change = {
  id: string;
  type: ChangeType;
  severity: Severity;
  artist_id: string;
  /** A sentence for people. */
  summary: string;
  /** When the change was confirmed. `since` compares with it. */
  confirmed_at: string;
  entity_type: EntityType;
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
  /** The account's decision: none yet, dealt with, or meant to happen. Known values: `open`, `handled`, `expected`. The list may grow: accept others. */
  status: "open" | "handled" | "expected" | (string & Record<never, never>);
  note: string | null;
  /** Email address of a member. */
  assignee: string | null;
};

/** Countries in which many releases of an artist were available. */
export type ChangeCatalogue = {
  /** ISO 3166-1 alpha-2 codes. */
  markets: string[];
  releases: {
    platform_id: string;
    title: string;
  }[];
  /** All releases of the artist. */
  release_count: number;
};

/** Changes by UTC day. Days without changes have zeros. */
export type ChangeCounts = {
  data: {
    /** UTC. */
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
  type: ChangeType;
  severity: Severity;
  artist_id: string;
  /** A sentence for people. */
  summary: string;
  /** When the change was confirmed. `since` compares with it. */
  confirmed_at: string;
  entity_type: EntityType;
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
  /** The account's decision: none yet, dealt with, or meant to happen. Known values: `open`, `handled`, `expected`. The list may grow: accept others. */
  status: "open" | "handled" | "expected" | (string & Record<never, never>);
  note: string | null;
  /** Email address of a member. */
  assignee: string | null;
  /** The release of a track. Null for artists and releases. */
  release_id: string | null;
  release_name: string | null;
  /** `observed` by us, or `reported` by another detector, which has the evidence. Known values: `observed`, `reported`. The list may grow: accept others. */
  origin: "observed" | "reported" | (string & Record<never, never>);
  /** The evidence, oldest first. Empty for a reported change. */
  observations: ChangeObservation[];
};

export type ChangeList = {
  /** Newest first; with `after`, in the order in which they became readable. */
  data: Change[];
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
  next_cursor: string | null;
};

/** An observation that counted for a change, or that did not count. */
export type ChangeObservation = {
  observed_at: string;
  /** `counted` counts toward the change. `not_counted` does not, and the sentence gives the reason. `held`: much was missing at once, so more observations were needed than usual. Known values: `counted`, `not_counted`, `held`. The list may grow: accept others. */
  kind: "counted" | "not_counted" | "held" | (string & Record<never, never>);
  /** A sentence for people. */
  text: string;
  /** The requests and their results. Empty if nothing was read. */
  readings: ({
    /** `list`: a complete list or entity. `direct`: the entity, requested by its own id. Known values: `list`, `direct`. The list may grow: accept others. */
    read: "list" | "direct" | (string & Record<never, never>);
    /** `missing` from the list, `changed`, `present` as before, `gone` for good, or an `unclear` response. Known values: `missing`, `changed`, `present`, `gone`, `unclear`. The list may grow: accept others. */
    said: "missing" | "changed" | "present" | "gone" | "unclear" | (string & Record<never, never>);
  })[];
  seen: ChangeValue;
};

/** Identifies an added or removed release. */
export type ChangeRelease = {
  platform_id: string;
  title: string | null;
  /** album, single, ep, compilation. */
  type: string | null;
  /** YYYY-MM-DD, or shorter. */
  release_date: string | null;
  upc: string | null;
};

/** Identifies an added or removed track. */
export type ChangeTrack = {
  platform_id: string;
  title: string | null;
  isrc: string | null;
  /** Counts from 1 across all discs. */
  position: number | null;
};

/** Known values: `release_removed`, `track_removed`, `artist_removed`, `artist_merged`, `artist_restored`, `release_added`, `track_added`, `release_restored`, `release_replaced`, `release_moved`, `release_title_changed`, `track_title_changed`, `release_date_changed`, `artwork_changed`, `label_changed`, `upc_changed`, `track_replaced`, `credits_changed`, `explicit_flag_changed`, `artist_image_changed`, `isrc_changed`, `artist_name_changed`, `availability_reduced`, `availability_expanded`, `followers_spike`, `followers_drop`. The list may grow: accept others. */
export type ChangeType = "release_removed" | "track_removed" | "artist_removed" | "artist_merged" | "artist_restored" | "release_added" | "track_added" | "release_restored" | "release_replaced" | "release_moved" | "release_title_changed" | "track_title_changed" | "release_date_changed" | "artwork_changed" | "label_changed" | "upc_changed" | "track_replaced" | "credits_changed" | "explicit_flag_changed" | "artist_image_changed" | "isrc_changed" | "artist_name_changed" | "availability_reduced" | "availability_expanded" | "followers_spike" | "followers_drop" | (string & Record<never, never>);

/** Depends on the type of the change: text (title, name, label, UPC, ISRC), a date, the content id of a picture, a flag, a count, credits, countries, a release or a track. Null if there was no value, there is none any more, or none was reported. */
export type ChangeValue = string | number | boolean | ChangeCredit[] | string[] | ChangeRelease | ChangeTrack | ChangeCatalogue | null;

export type CreatedDestination = {
  id: string;
  /** Chosen by the account. Null for none. */
  name: string | null;
  /** Known values: `webhook`, `slack`, `discord`. The list may grow: accept others. */
  kind: "webhook" | "slack" | "discord" | (string & Record<never, never>);
  /** For Slack and Discord without the secret part. */
  url: string;
  /** While off, only tests are sent. Known values: `active`, `off`. The list may grow: accept others. */
  state: "active" | "off" | (string & Record<never, never>);
  /** True while the plan does not include destinations of this kind. Nothing is sent then, whatever the state. */
  paused_by_plan: boolean;
  /** True if its webhooks are signed. */
  signed: boolean;
  /** True from rotate-secret to activate-secret: the next secret is not active yet. */
  next_secret_pending: boolean;
  /** Headers that you add to each request. Values are never shown. Always empty for Slack and Discord. */
  headers: {
    name: string;
    /** Always `(hidden)`. */
    value: string;
  }[];
  /** True if webhooks also carry the headers of Standard Webhooks. Always false for Slack and Discord. */
  standard_webhooks: boolean;
  rules: DestinationRules;
  /** Rules that are probably mistakes. Usually empty. */
  rule_warnings: RuleWarning[];
  /** Failed attempts in a row. The 20th switches the destination off. */
  consecutive_failures: number;
  created_at: string;
  switched_off_at: string | null;
  /** A sentence for people. `switched_off` has the data. */
  switched_off_reason: string | null;
  /** Null while active. */
  switched_off: {
    /** `switched_off` after too many failures, `disabled` by request. Known values: `switched_off`, `disabled`. The list may grow: accept others. */
    code: "switched_off" | "disabled" | (string & Record<never, never>);
    at: string;
    /** Failed attempts in a row at that time. */
    consecutive_failures: number;
    /** The status of the last failed attempt. Null without a response. */
    last_status: number | null;
    /** The `error` of the last failed attempt. Null if the event is no failure. */
    last_error: string | null;
  } | null;
  /** The last 24 hours. */
  stats_24h: {
    /** All deliveries, at most the newest 10,000. */
    deliveries: number;
    pending: number;
    succeeded: number;
    failed: number;
    skipped: number;
  };
  /** Warnings of the current run of failures, newest first. Empty after a success or `enable`. */
  warnings: DestinationWarning[];
  /** Events, newest first: the newest 20 about failures, and the newest 20 others. */
  notices: DestinationNotice[];
  /** Shown only in this response. Null for unsigned. */
  secret: string | null;
};

export type CreateDestination = {
  /** For people, 1 to 100 characters. Null for none. */
  name?: string | null;
  /** Your own webhook (Business), or a Slack or Discord channel (Starter and up) with its incoming-webhook URL. That URL contains a secret, so responses show only a part of it. Required for Slack and Discord URLs. */
  kind?: "webhook" | "slack" | "discord";
  /** An absolute http or https URL on the public internet, with port 80, 443 or 1024 to 65535, without user info. The pattern requires a host name; a public IP address is accepted too. */
  url: string;
  /** "generate", your own secret of 16 to 256 printable ASCII characters without a comma, or null for unsigned webhooks. Slack and Discord destinations have no secret. */
  secret?: string | null;
  /** Headers to add to each request, at most 10; [] for none. A change replaces all of them, and a URL on another host needs it. Values are encrypted and never shown. Reserved are `X-Service-*`, `webhook-*`, `Content-*`, `Proxy-*`, `Host`, `User-Agent`, `Expect` and headers of the connection. For webhooks only. */
  headers?: {
    name: string;
    value: string;
  }[];
  /** True to add the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks (https://www.standardwebhooks.com), so that its libraries can verify requests. For webhooks only. Default: false. */
  standard_webhooks?: boolean;
  rules?: DestinationRulesInput;
};

/** A token for the private Atom feed, with the token. */
export type CreatedFeed = {
  id: string;
  name: string | null;
  /** First characters of the token. */
  hint: string;
  created_at: string;
  /** The email address of a member, the id of an API key, or `operator`. */
  created_by: string;
  /** Up to a minute behind. Null before the first request. */
  last_used_at: string | null;
  /** Shown only in this response. */
  token: string;
  /** The path of the feed below the origin of {base_url}. Add the filters of changes to it. */
  path: string;
};

export type CreateFeed = {
  /** For people, 1 to 100 characters. Null for none. */
  name?: string | null;
};

/** One change to one destination. */
export type Delivery = {
  id: string;
  destination_id: string;
  /** Null for a test. */
  change_id: string | null;
  /** Known values: `pending`, `succeeded`, `failed`, `skipped`. The list may grow: accept others. */
  state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
  /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. The list may grow: accept others. */
  trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
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
  /** Known values: `pending`, `succeeded`, `failed`, `skipped`. The list may grow: accept others. */
  state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
  /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. The list may grow: accept others. */
  trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
  attempt_count: number;
  /** Null unless pending. */
  next_attempt_at: string | null;
  created_at: string;
  /** Null while pending. */
  settled_at: string | null;
  skipped_reason: string | null;
  /** Oldest first. */
  attempts: Attempt[];
  /** Null for a test. */
  change: {
    type: ChangeType;
    severity: Severity;
    summary: string;
    entity_type: EntityType;
    entity_name: string;
    artist_id: string;
    /** As it was when the change was confirmed. */
    artist_name: string;
  } | null;
  /** Null if the change is older than the longest history. */
  request: {
    /** Known values: `POST`. The list may grow: accept others. */
    method: "POST" | (string & Record<never, never>);
    /** The current URL of the destination. */
    url: string;
    /** Headers of the newest or the first attempt. The signature is hidden. */
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
  data: ListedDelivery[];
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
  next_cursor: string | null;
};

/** A webhook, or a Slack or Discord channel, that receives changes. */
export type Destination = {
  id: string;
  /** Chosen by the account. Null for none. */
  name: string | null;
  /** Known values: `webhook`, `slack`, `discord`. The list may grow: accept others. */
  kind: "webhook" | "slack" | "discord" | (string & Record<never, never>);
  /** For Slack and Discord without the secret part. */
  url: string;
  /** While off, only tests are sent. Known values: `active`, `off`. The list may grow: accept others. */
  state: "active" | "off" | (string & Record<never, never>);
  /** True while the plan does not include destinations of this kind. Nothing is sent then, whatever the state. */
  paused_by_plan: boolean;
  /** True if its webhooks are signed. */
  signed: boolean;
  /** True from rotate-secret to activate-secret: the next secret is not active yet. */
  next_secret_pending: boolean;
  /** Headers that you add to each request. Values are never shown. Always empty for Slack and Discord. */
  headers: {
    name: string;
    /** Always `(hidden)`. */
    value: string;
  }[];
  /** True if webhooks also carry the headers of Standard Webhooks. Always false for Slack and Discord. */
  standard_webhooks: boolean;
  rules: DestinationRules;
  /** Rules that are probably mistakes. Usually empty. */
  rule_warnings: RuleWarning[];
  /** Failed attempts in a row. The 20th switches the destination off. */
  consecutive_failures: number;
  created_at: string;
  switched_off_at: string | null;
  /** A sentence for people. `switched_off` has the data. */
  switched_off_reason: string | null;
  /** Null while active. */
  switched_off: {
    /** `switched_off` after too many failures, `disabled` by request. Known values: `switched_off`, `disabled`. The list may grow: accept others. */
    code: "switched_off" | "disabled" | (string & Record<never, never>);
    at: string;
    /** Failed attempts in a row at that time. */
    consecutive_failures: number;
    /** The status of the last failed attempt. Null without a response. */
    last_status: number | null;
    /** The `error` of the last failed attempt. Null if the event is no failure. */
    last_error: string | null;
  } | null;
  /** The last 24 hours. */
  stats_24h: {
    /** All deliveries, at most the newest 10,000. */
    deliveries: number;
    pending: number;
    succeeded: number;
    failed: number;
    skipped: number;
  };
  /** Warnings of the current run of failures, newest first. Empty after a success or `enable`. */
  warnings: DestinationWarning[];
  /** Events, newest first: the newest 20 about failures, and the newest 20 others. */
  notices: DestinationNotice[];
};

export type DestinationList = {
  /** Newest first. */
  data: Destination[];
  next_cursor: null;
};

/** An event of a destination. */
export type DestinationNotice = {
  id: string;
  /** Known values: `warning`, `switched_off`, `disabled`, `enabled`, `secret_rotated`, `secret_activated`, `paused_by_plan`, `resumed_by_plan`. The list may grow: accept others. */
  kind: "warning" | "switched_off" | "disabled" | "enabled" | "secret_rotated" | "secret_activated" | "paused_by_plan" | "resumed_by_plan" | (string & Record<never, never>);
  /** The same as `kind`. */
  code: string;
  at: string;
  /** Failed attempts in a row at that time. */
  consecutive_failures: number;
  message: string;
  /** The status of the last failed attempt. Null without a response. */
  last_status: number | null;
  /** The `error` of the last failed attempt. Null if the event is no failure. */
  last_error: string | null;
};

/** The changes that a destination receives. A change must match all three rules, with any entry of a list. */
export type DestinationRules = {
  /** The lowest severity that is sent. Null for all. Known values: `critical`, `warning`, `info`. The list may grow: accept others. */
  min_severity: "critical" | "warning" | "info" | (string & Record<never, never>) | null;
  /** Empty for all types. */
  change_types: string[];
  /** Empty for all watched artists. */
  artist_ids: string[];
};

/** Omitted rules allow everything when a destination is created, and stay unchanged in an update. A body has at most 16 KiB, so send two long lists in two requests. */
export type DestinationRulesInput = {
  /** The lowest severity to send. Null for all. */
  min_severity?: "critical" | "warning" | "info" | null;
  /** Any snake_case words, at most 200; see `ChangeType`. Empty for all types. Unknown types get a warning in `rule_warnings`. */
  change_types?: string[];
  /** At most 400. Empty for all watched artists. */
  artist_ids?: string[];
};

export type DestinationWarning = {
  /** Known values: `warning`, `switched_off`. The list may grow: accept others. */
  kind: "warning" | "switched_off" | (string & Record<never, never>);
  /** The same as `kind`. */
  code: string;
  at: string;
  /** Failed attempts in a row at that time. */
  consecutive_failures: number;
  message: string;
  /** The status of the last failed attempt. Null without a response. */
  last_status: number | null;
  /** The `error` of the last failed attempt. Null if the event is no failure. */
  last_error: string | null;
};

/** Source addresses of webhook requests. */
export type EgressAddresses = {
  /** IP addresses and CIDR ranges, IPv4 and IPv6. Empty if this installation does not publish them. */
  addresses: string[];
};

/** What changed. Known values: `artist`, `release`, `track`. The list may grow: accept others. */
export type EntityType = "artist" | "release" | "track" | (string & Record<never, never>);

/** The body of every error response. */
export type Error = {
  error: ErrorDetail;
};

export type ErrorDetail = {
  /** For programs. Known codes: `invalid_json`, `invalid_input`, `invalid_since`, `invalid_cursor`, `invalid_limit`, `invalid_isrc`, `unsupported_url`, `unauthorized`, `insufficient_scope`, `plan_required`, `plan_limit_reached`, `not_found`, `track_not_found`, `method_not_allowed`, `request_timeout`, `conflict`, `idempotency_conflict`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `daily_allowance_exceeded`, `headers_too_large`, `internal_error`, `upstream_error`, `service_unavailable`, `upstream_unavailable`, `upstream_timeout`. The list may grow: accept others. */
  code: string;
  /** For people; it may change. */
  message: string;
  /** Each invalid parameter, at most 20. Absent if no parameter is invalid. */
  errors?: ParamProblem[];
};

/** A token for the private Atom feed. */
export type Feed = {
  id: string;
  name: string | null;
  /** First characters of the token. */
  hint: string;
  created_at: string;
  /** The email address of a member, the id of an API key, or `operator`. */
  created_by: string;
  /** Up to a minute behind. Null before the first request. */
  last_used_at: string | null;
};

export type FeedList = {
  /** All feeds, newest first. */
  data: Feed[];
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
  next_cursor: string | null;
};

/** A delivery with its newest attempt. */
export type ListedDelivery = {
  id: string;
  destination_id: string;
  /** Null for a test. */
  change_id: string | null;
  /** Known values: `pending`, `succeeded`, `failed`, `skipped`. The list may grow: accept others. */
  state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
  /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. The list may grow: accept others. */
  trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
  attempt_count: number;
  /** Null unless pending. */
  next_attempt_at: string | null;
  created_at: string;
  /** Null while pending. */
  settled_at: string | null;
  skipped_reason: string | null;
  /** The newest attempt. Null if there is none. */
  last_attempt: {
    number: number;
    /** Null if no status line arrived. */
    status_code: number | null;
    /** Null on success. */
    error: string | null;
    ended_at: string;
  } | null;
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
  /** The oldest. Null if there is none. */
  first: {
    id: string;
    destination_id: string;
    /** Null for a test. */
    change_id: string | null;
    /** Known values: `pending`, `succeeded`, `failed`, `skipped`. The list may grow: accept others. */
    state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
    /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. The list may grow: accept others. */
    trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
    attempt_count: number;
    /** Null unless pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
  /** The newest. Null if there is none. */
  last: {
    id: string;
    destination_id: string;
    /** Null for a test. */
    change_id: string | null;
    /** Known values: `pending`, `succeeded`, `failed`, `skipped`. The list may grow: accept others. */
    state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
    /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. The list may grow: accept others. */
    trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
    attempt_count: number;
    /** Null unless pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
  /** Matching deliveries that are not sent, because their destinations are off or paused. */
  left_out: number;
};

/** A person with access to the account. */
export type Member = {
  id: string;
  email: string;
  /** An owner also manages members, keys and secrets. Known values: `owner`, `member`. The list may grow: accept others. */
  role: "owner" | "member" | (string & Record<never, never>);
  created_at: string;
  /** The first sign-in. Null until then. */
  joined_at: string | null;
};

export type MemberList = {
  /** Oldest first. */
  data: Member[];
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
  next_cursor: string | null;
};

/** An invalid parameter. */
export type ParamProblem = {
  /** A query parameter, a header, or a field of the body such as `rules.artist_ids.0`. */
  param: string;
  /** For people; it may change. */
  message: string;
};

export type PreviewedChange = {
  id: string;
  type: ChangeType;
  severity: Severity;
  entity_type: EntityType;
  entity_name: string;
  artist_id: string;
  /** As it was when the change was confirmed. */
  artist_name: string;
  summary: string;
  confirmed_at: string;
  /** The rules that exclude it. Empty if it matches. */
  kept_back_by: ("min_severity" | "change_types" | "artist_ids" | (string & Record<never, never>))[];
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
  /** RFC 3339 time with a zone. Only deliveries created at this time or later. */
  since: string;
  /** RFC 3339 time with a zone, after `since`. Only deliveries created before it. Default: no end. */
  until?: string;
  /** Only to this destination, which must be active. */
  destination?: string;
  /** Only in this state. Default: both. */
  state?: "failed" | "skipped";
  /** Only for this change. */
  change?: string;
  /** Only with this trigger. */
  trigger?: "change" | "resend" | "recover";
  /** Only with this error in the newest failed attempt. */
  error?: "unexpected_status" | "redirected" | "timed_out" | "connection_reset" | "connection_closed" | "malformed_answer" | "headers_too_large" | "tls_failed" | "tls_refused" | "client_certificate_required" | "http2_required" | "certificate_expired" | "certificate_not_yet_valid" | "certificate_revoked" | "certificate_name_mismatch" | "certificate_self_signed" | "certificate_not_trusted" | "certificate_too_weak" | "certificate_chain_incomplete" | "address_revoked" | "channel_unavailable" | "posting_forbidden" | "message_refused" | "forbidden_address" | "forbidden_port" | "forbidden_destination" | "name_not_found" | "name_lookup_failed" | "connection_refused" | "connection_timed_out" | "connection_failed";
  /** Only with this status in the newest failed attempt. `none`: no status line arrived. */
  status_class?: "3xx" | "4xx" | "5xx" | "none";
  /** Only with this blame in the newest failed attempt. */
  blame?: "receiver" | "policy";
  /** `next_cursor` of the call before, with the same range and filters: the recovery continues after it. */
  cursor?: string;
  /** True to send nothing and only count the deliveries. */
  dry_run?: boolean;
};

export type RecoverRequest = {
  /** RFC 3339 time with a zone. Only deliveries created at this time or later. Deliveries that were pending at the switch-off are older: use the time of the first warning, or earlier. */
  since: string;
  /** RFC 3339 time with a zone, after `since`. Only deliveries created before it. Default: no end. */
  until?: string;
  /** `next_cursor` of the call before, with the same range and filters: the recovery continues after it. */
  cursor?: string;
  /** True to send nothing and only count the deliveries. */
  dry_run?: boolean;
};

export type RecoveryPreview = {
  /** Nothing was sent. */
  dry_run: true;
  /** Deliveries that a recovery without `dry_run` would send, over all its calls. */
  would_send: number;
  /** The same number as `would_send`; use that. */
  recovered: number;
  /** The oldest. Null if there is none. */
  first: {
    id: string;
    destination_id: string;
    /** Null for a test. */
    change_id: string | null;
    /** Known values: `pending`, `succeeded`, `failed`, `skipped`. The list may grow: accept others. */
    state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
    /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. The list may grow: accept others. */
    trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
    attempt_count: number;
    /** Null unless pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
  /** The newest. Null if there is none. */
  last: {
    id: string;
    destination_id: string;
    /** Null for a test. */
    change_id: string | null;
    /** Known values: `pending`, `succeeded`, `failed`, `skipped`. The list may grow: accept others. */
    state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
    /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. The list may grow: accept others. */
    trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
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
  /** Normalized: 12 upper-case characters. */
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
    artists: ChangeCredit[];
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
  /** All tracks with this ISRC in the source, its first choice first. */
  matches: Track[];
  source: Source;
};

export type ReverseRequest = {
  /** An ISRC; case, spaces and hyphens do not matter. */
  isrc: string;
};

export type RotatedDestination = {
  id: string;
  /** Chosen by the account. Null for none. */
  name: string | null;
  /** Known values: `webhook`, `slack`, `discord`. The list may grow: accept others. */
  kind: "webhook" | "slack" | "discord" | (string & Record<never, never>);
  /** For Slack and Discord without the secret part. */
  url: string;
  /** While off, only tests are sent. Known values: `active`, `off`. The list may grow: accept others. */
  state: "active" | "off" | (string & Record<never, never>);
  /** True while the plan does not include destinations of this kind. Nothing is sent then, whatever the state. */
  paused_by_plan: boolean;
  /** True if its webhooks are signed. */
  signed: boolean;
  /** True from rotate-secret to activate-secret: the next secret is not active yet. */
  next_secret_pending: boolean;
  /** Headers that you add to each request. Values are never shown. Always empty for Slack and Discord. */
  headers: {
    name: string;
    /** Always `(hidden)`. */
    value: string;
  }[];
  /** True if webhooks also carry the headers of Standard Webhooks. Always false for Slack and Discord. */
  standard_webhooks: boolean;
  rules: DestinationRules;
  /** Rules that are probably mistakes. Usually empty. */
  rule_warnings: RuleWarning[];
  /** Failed attempts in a row. The 20th switches the destination off. */
  consecutive_failures: number;
  created_at: string;
  switched_off_at: string | null;
  /** A sentence for people. `switched_off` has the data. */
  switched_off_reason: string | null;
  /** Null while active. */
  switched_off: {
    /** `switched_off` after too many failures, `disabled` by request. Known values: `switched_off`, `disabled`. The list may grow: accept others. */
    code: "switched_off" | "disabled" | (string & Record<never, never>);
    at: string;
    /** Failed attempts in a row at that time. */
    consecutive_failures: number;
    /** The status of the last failed attempt. Null without a response. */
    last_status: number | null;
    /** The `error` of the last failed attempt. Null if the event is no failure. */
    last_error: string | null;
  } | null;
  /** The last 24 hours. */
  stats_24h: {
    /** All deliveries, at most the newest 10,000. */
    deliveries: number;
    pending: number;
    succeeded: number;
    failed: number;
    skipped: number;
  };
  /** Warnings of the current run of failures, newest first. Empty after a success or `enable`. */
  warnings: DestinationWarning[];
  /** Events, newest first: the newest 20 about failures, and the newest 20 others. */
  notices: DestinationNotice[];
  /** Shown only in this response. Active after activate-secret. */
  next_secret: string;
};

export type RotateSecretRequest = {
  /** True to discard a next secret that is not active yet. Receivers must remove it. */
  replace?: boolean;
};

export type RulesPreview = {
  /** Days covered, at most the newest 10,000 changes. */
  days: number;
  matching: {
    /** Changes that match the rules. */
    count: number;
    /** At most 10, newest first. */
    newest: PreviewedChange[];
  };
  others: {
    /** Changes that the rules exclude. */
    count: number;
    /** Changes that each rule excludes. A change can count for several rules. */
    by_rule: {
      min_severity: number;
      change_types: number;
      artist_ids: number;
    };
    /** At most 10, newest first. */
    newest: PreviewedChange[];
  };
};

/** A rule that is probably a mistake. */
export type RuleWarning = {
  param: string;
  /** Known values: `unknown_change_type`. The list may grow: accept others. */
  code: "unknown_change_type" | (string & Record<never, never>);
  /** For people. */
  message: string;
};

/** Highest first. Known values: `critical`, `warning`, `info`. The list may grow: accept others. */
export type Severity = "critical" | "warning" | "info" | (string & Record<never, never>);

export type Source = {
  /** The name of the source. */
  name: string;
  retrieved_at: string;
};

export type TestedDelivery = {
  id: string;
  destination_id: string;
  /** Null for a test. */
  change_id: string | null;
  /** Known values: `pending`, `succeeded`, `failed`, `skipped`. The list may grow: accept others. */
  state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
  /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. The list may grow: accept others. */
  trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
  attempt_count: number;
  /** Null unless pending. */
  next_attempt_at: string | null;
  created_at: string;
  /** Null while pending. */
  settled_at: string | null;
  skipped_reason: string | null;
  /** Oldest first. */
  attempts: Attempt[];
  /** Null for a test. */
  change: {
    type: ChangeType;
    severity: Severity;
    summary: string;
    entity_type: EntityType;
    entity_name: string;
    artist_id: string;
    /** As it was when the change was confirmed. */
    artist_name: string;
  } | null;
  /** Null if the change is older than the longest history. */
  request: {
    /** Known values: `POST`. The list may grow: accept others. */
    method: "POST" | (string & Record<never, never>);
    /** The current URL of the destination. */
    url: string;
    /** Headers of the newest or the first attempt. The signature is hidden. */
    headers: {
      name: string;
      value: string;
    }[];
    /** The exact bytes that every attempt sends, in UTF-8. */
    body: string;
  } | null;
  /** A sentence for people: why the test failed, or that it has no result yet. Null after a success. */
  message: string | null;
};

export type TestRequest = {
  /** The type of the sample change. Default: release_added. */
  change_type?: string;
  /** The longest wait for the attempt, in seconds. 12 is enough for a receiver that does not respond. */
  wait_seconds?: number;
};

export type Tools = {
  allowance: {
    /** Tool calls a UTC day, in the API and the dashboard together. */
    limit: number;
    used: number;
    remaining: number;
    /** The next 00:00 UTC. */
    resets_at: string;
  };
  /** The names of the tools. */
  tools: string[];
};

/** A track. Null means unknown. */
export type Track = {
  platform_id: string;
  name: string;
  /** The track's page on Deezer or Spotify. */
  url: string;
  isrc: string | null;
  duration_ms: number | null;
  explicit: boolean | null;
  artists: ChangeCredit[];
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

export type UpdateChange = {
  status?: "open" | "handled" | "expected";
  /** Up to 1000 characters. Null removes the note. */
  note?: string | null;
  /** Email address of a member. Null removes the assignee. */
  assignee?: string | null;
};

export type UpdateDestination = {
  /** For people, 1 to 100 characters. Null for none. */
  name?: string | null;
  /** An absolute http or https URL on the public internet, with port 80, 443 or 1024 to 65535, without user info. The pattern requires a host name; a public IP address is accepted too. */
  url?: string;
  /** Headers to add to each request, at most 10; [] for none. A change replaces all of them, and a URL on another host needs it. Values are encrypted and never shown. Reserved are `X-Service-*`, `webhook-*`, `Content-*`, `Proxy-*`, `Host`, `User-Agent`, `Expect` and headers of the connection. For webhooks only. */
  headers?: {
    name: string;
    value: string;
  }[];
  /** True to add the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks (https://www.standardwebhooks.com), so that its libraries can verify requests. For webhooks only. Default: false. */
  standard_webhooks?: boolean;
  rules?: DestinationRulesInput;
};

export type Usage = {
  /** Known values: `free`, `starter`, `pro`, `business`. The list may grow: accept others. */
  plan: "free" | "starter" | "pro" | "business" | (string & Record<never, never>);
  /** Watched artists. */
  artists: {
    used: number;
    limit: number;
  };
  /** Members of the account. */
  seats: {
    used: number;
    limit: number;
  };
  /** Valid API keys. */
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
  /** Requests an hour, over all API keys of the account. */
  api_rate_per_hour: number;
  /** Destinations that the plan no longer includes. They stay, and nothing is sent to them. */
  paused_by_plan: {
    destinations: number;
  };
};

/** Usage of a UTC day. */
export type UsageDay = {
  /** UTC. */
  day: string;
  /** API requests, except rejected ones. Up to a minute behind. */
  requests: number;
  tool_calls: number;
  /** Deliveries created on this day, in any state. */
  deliveries: number;
};

export type UsageDayList = {
  /** Oldest first. The last one is today. */
  data: UsageDay[];
  /** Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL. */
  next_cursor: string | null;
};

export type WatchArtist = {
  /** The artist's Deezer or Spotify id. */
  platform_id?: string;
  /** A Deezer or Spotify link to the artist. */
  url?: string;
};

/** A confirmed change. `detected_at` and `confirmed_at` are Unix times in seconds. Long `before` and `after` are omitted. `test` is present, and true, only in tests (`POST /v1/destinations/{id}/test`). */
export type WebhookPayload = {
  event: "change.confirmed";
  change_id: string;
  artist_id: string;
  artist: string;
  artist_platform_id: string;
  entity_type: EntityType;
  entity_id: string;
  entity_name: string;
  severity: Severity;
  change_type: ChangeType;
  summary: string;
  detected_at: number;
  before?: ChangeValue;
  after?: ChangeValue;
  platform_url?: string | null;
  confirmed_at?: number;
  test?: true;
};

/** The input and the result of each operation. */
export interface Operations {
  /** List confirmed changes */
  listChanges: {
    query?: {
      /** Changes confirmed at this time or later. Default: 24 hours before the request. */
      since?: string;
      /** Changes of this type. Repeat it for several types. */
      type?: string[];
      /** Changes of this severity or higher. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** The identifier of an artist, a release or a track on the streaming platform. */
      entity_id?: string;
      /** Changes with this status in the account. */
      status?: "open" | "handled" | "expected";
      /** Changes confirmed before this instant. */
      until?: string;
      /** Words in the name of the entity or the artist, or in the summary. All must occur. */
      q?: string;
      /** A `next_cursor` of an earlier response to a request with `after`, or `now` to start after the newest change. The changes come in the order in which they become readable. Any filters can be used with it. */
      after?: string;
      /** The most items of the page. */
      limit?: number;
      /** `next_cursor` of the previous page. It belongs to one list of one account. For the next page send only `cursor` (and `limit`). */
      cursor?: string;
    };
    result: ChangeList;
  };
  /** Count changes by day */
  countChanges: {
    query?: {
      by?: "day";
      /** Changes confirmed at this time or later. Default: the start of the last 30 UTC days. */
      since?: string;
      /** Changes of this type. Repeat it for several types. */
      type?: string[];
      /** Changes of this severity or higher. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** The identifier of an artist, a release or a track on the streaming platform. */
      entity_id?: string;
      /** Changes with this status in the account. */
      status?: "open" | "handled" | "expected";
      /** Changes confirmed before this instant. */
      until?: string;
    };
    result: ChangeCounts;
  };
  /** Export changes */
  exportChanges: {
    query?: {
      /** RFC 4180 with a header line, or one JSON object per line. Default: csv. */
      format?: "csv" | "ndjson";
      /** Changes confirmed at this instant or later. Default: the plan's whole history. */
      since?: string;
      /** A `next_cursor` of an earlier response to a request with `after`, or `now` to start after the newest change. The changes come in the order in which they become readable. Any filters can be used with it. */
      after?: string;
      /** The `id` of the last change that you have: the export continues with the next one. */
      continue_after?: string;
      /** Changes of this type. Repeat it for several types. */
      type?: string[];
      /** Changes of this severity or higher. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** The identifier of an artist, a release or a track on the streaming platform. */
      entity_id?: string;
      /** Changes with this status in the account. */
      status?: "open" | "handled" | "expected";
      /** Changes confirmed before this instant. */
      until?: string;
      /** Words in the name of the entity or the artist, or in the summary. All must occur. */
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
  /** Set the status, note or assignee of a change */
  updateChange: {
    path: {
      id: string;
    };
    body: UpdateChange;
    result: ChangeDetail;
  };
  /** Read changes as an Atom feed */
  readFeed: {
    query?: {
      /** Changes of this type. Repeat it for several types. */
      type?: string[];
      /** Changes of this severity or higher. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** The identifier of an artist, a release or a track on the streaming platform. */
      entity_id?: string;
      /** Changes with this status in the account. */
      status?: "open" | "handled" | "expected";
      /** Changes confirmed before this instant. */
      until?: string;
      /** Words in the name of the entity or the artist, or in the summary. All must occur. */
      q?: string;
      /** `next_cursor` of the previous page. It belongs to one list of one account. For the next page send only `cursor` (and `limit`). */
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
      /** Number of days, including today. */
      days?: number;
    };
    result: UsageDayList;
  };
  /** List API keys */
  listKeys: {
    query?: {
      /** The most items of the page. */
      limit?: number;
      /** `next_cursor` of the previous page. It belongs to one list of one account. For the next page send only `cursor` (and `limit`). */
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
      /** The most items of the page. Default: all. */
      limit?: number;
      /** `next_cursor` of the previous page. It belongs to one list of one account. For the next page send only `cursor` (and `limit`). */
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
      /** The most items of the page. */
      limit?: number;
      /** `next_cursor` of the previous page. It belongs to one list of one account. For the next page send only `cursor` (and `limit`). */
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
      /** The most items of the page. */
      limit?: number;
      /** `next_cursor` of the previous page. It belongs to one list of one account. For the next page send only `cursor` (and `limit`). */
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
  /** Create a destination */
  createDestination: {
    body: CreateDestination;
    result: CreatedDestination;
  };
  /** Preview rules */
  previewRules: {
    body: PreviewRulesRequest;
    result: RulesPreview;
  };
  /** Read a destination */
  showDestination: {
    path: {
      id: string;
    };
    result: Destination;
  };
  /** Update a destination */
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
  /** Disable a destination */
  disableDestination: {
    path: {
      id: string;
    };
    result: Destination;
  };
  /** Enable a destination */
  enableDestination: {
    path: {
      id: string;
    };
    result: Destination;
  };
  /** Send missed deliveries */
  recoverDestination: {
    path: {
      id: string;
    };
    body: RecoverRequest;
    result: RecoveryPreview | Recovered;
  };
  /** Create the next secret */
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
    result: TestedDelivery;
  };
  /** List the source addresses of webhooks */
  listEgressAddresses: {
    result: EgressAddresses;
  };
  /** List deliveries */
  listDeliveries: {
    query?: {
      /** Only to this destination. */
      destination?: string;
      /** Only in this state. */
      state?: "pending" | "succeeded" | "failed" | "skipped";
      /** Only for this change. */
      change?: string;
      /** Only created at this time or later. */
      since?: string;
      /** Only created before this time. */
      until?: string;
      /** Only with this trigger. */
      trigger?: "change" | "recover" | "test" | "resend";
      /** Only with this error in the newest failed attempt. */
      error?: "unexpected_status" | "redirected" | "timed_out" | "connection_reset" | "connection_closed" | "malformed_answer" | "headers_too_large" | "tls_failed" | "tls_refused" | "client_certificate_required" | "http2_required" | "certificate_expired" | "certificate_not_yet_valid" | "certificate_revoked" | "certificate_name_mismatch" | "certificate_self_signed" | "certificate_not_trusted" | "certificate_too_weak" | "certificate_chain_incomplete" | "address_revoked" | "channel_unavailable" | "posting_forbidden" | "message_refused" | "forbidden_address" | "forbidden_port" | "forbidden_destination" | "name_not_found" | "name_lookup_failed" | "connection_refused" | "connection_timed_out" | "connection_failed";
      /** Only with this status in the newest failed attempt. `none`: no status line arrived. */
      status_class?: "3xx" | "4xx" | "5xx" | "none";
      /** Only with this blame in the newest failed attempt. */
      blame?: "receiver" | "policy";
      /** The most items of the page. */
      limit?: number;
      /** `next_cursor` of the previous page. It belongs to one list of one account. For the next page send only `cursor` (and `limit`). */
      cursor?: string;
    };
    result: DeliveryList;
  };
  /** Send missed deliveries that match a filter */
  recoverDeliveries: {
    body: RecoverMatchingRequest;
    result: MatchingRecoveryPreview | Recovered;
  };
  /** Read a delivery with its request and attempts */
  showDelivery: {
    path: {
      id: string;
    };
    result: DeliveryDetail;
  };
  /** Resend a delivery */
  resendDelivery: {
    path: {
      id: string;
    };
    result: Delivery;
  };
}

/** How to call each operation. `keyed`: accepts an Idempotency-Key. `text`: the response is not JSON. */
export const OPERATIONS = {
  listChanges: { method: 'GET', path: '/changes', keyed: false, text: false },
  countChanges: { method: 'GET', path: '/changes/counts', keyed: false, text: false },
  exportChanges: { method: 'GET', path: '/changes/export', keyed: false, text: true },
  showChange: { method: 'GET', path: '/changes/{id}', keyed: false, text: false },
  updateChange: { method: 'PATCH', path: '/changes/{id}', keyed: false, text: false },
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
  listEgressAddresses: { method: 'GET', path: '/egress', keyed: false, text: false },
  listDeliveries: { method: 'GET', path: '/deliveries', keyed: false, text: false },
  recoverDeliveries: { method: 'POST', path: '/deliveries/recover', keyed: true, text: false },
  showDelivery: { method: 'GET', path: '/deliveries/{id}', keyed: false, text: false },
  resendDelivery: { method: 'POST', path: '/deliveries/{id}/resend', keyed: true, text: false },
} as const;
