// Generated from docs/openapi.json by `pnpm openapi`. Do not edit.

/** An API key of the account. */
export type ApiKey = {
  id: string;
  name: string | null;
  /** The first characters of the key. */
  hint: string;
  /** `manage` allows requests that change something, and `read` allows all other requests. */
  scopes: ("read" | "manage" | (string & Record<never, never>))[];
  created_at: string;
  /** The email address of a member, or `operator`. Null if unknown. */
  created_by: string | null;
  /** Time of the last request, which can lag by up to a minute. Null before the first request. */
  last_used_at: string | null;
  /** From this time on, the key is rejected. Null if it never expires. */
  expires_at: string | null;
  /** Null unless the key was revoked. */
  revoked_at: string | null;
};

export type ApiKeyList = {
  /** Newest first. */
  data: ApiKey[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

/** An artist that the account watches. */
export type Artist = {
  /** Changes have this id as `artist_id`. */
  id: string;
  /** The artist's identifier on the streaming platform. */
  platform_id: string;
  /** The artist's name. Until the first observation, it is the `platform_id`. */
  name: string;
  /** The last known number, or 0 if none is known yet. */
  monthly_listeners: number;
  /** The last known number, or 0 if none is known yet. */
  followers: number;
  /** The numbers of followers and listeners were read at this time or later. Null until an observation after `watched_since` has shown them. */
  metrics_observed_at: string | null;
  /** `pending`: there has been no complete observation since `watched_since`. `active`: the artist is observed on schedule. `not_found`: the artist does not exist, and after an hour it no longer counts toward your plan. `stale`: observations are overdue, because none has been complete for three intervals of your plan. `merged`: Deezer or Spotify returns another artist, which `POST /artists/{id}/follow-merge` watches instead. Known values: `pending`, `active`, `not_found`, `stale`, `merged`. New values may be added, so accept unknown ones. */
  status: "pending" | "active" | "not_found" | "stale" | "merged" | (string & Record<never, never>);
  /** The other artist's identifier on the streaming platform. Null unless `status` is `merged`. */
  merged_into: string | null;
  /** Why the last observation was not complete. Null unless `status` is `stale`. */
  stale_reason: {
    /** Known codes: rate_limited, platform_error, unclear_response, incomplete_list, not_checked. New codes may be added, so accept unknown ones. */
    code: string;
    /** A sentence for people. */
    message: string;
  } | null;
  /** Time of the last complete observation, updated at most once per interval of your plan. Null until the first complete observation after `watched_since`. */
  last_complete_at: string | null;
  /** The next observation is due by this time. If the time is in the past, the observation is late. A new artist is observed within seconds. */
  next_read_at: string;
  /** Time when the account started to watch the artist. */
  watched_since: string;
  /** The artist's page on Deezer or Spotify. */
  platform_url: string;
  /** `unavailable`: no observation has included this number yet. Ignore its value of 0. Deezer and Spotify do not show listeners. */
  metrics: {
    /** Known values: `available`, `unavailable`. New values may be added, so accept unknown ones. */
    followers: "available" | "unavailable" | (string & Record<never, never>);
    /** Known values: `available`, `unavailable`. New values may be added, so accept unknown ones. */
    monthly_listeners: "available" | "unavailable" | (string & Record<never, never>);
  };
  /** The artist's groups. */
  group_ids: string[];
};

/** An artist on Deezer or Spotify. The account may or may not watch it. */
export type ArtistCandidate = {
  platform_id: string;
  name: string;
  /** Null if unknown. */
  followers: number | null;
  /** The artist's page on Deezer or Spotify. */
  platform_url: string;
};

/** A suspected change, which has not been confirmed or dismissed yet. */
export type ArtistCheck = {
  /** The id that the change will have if it is confirmed. */
  id: string;
  type: ChangeType;
  severity: Severity;
  /** `held`: too many entities are missing at the same time, so the change needs more observations than usual. Known values: `suspected`, `held`. New values may be added, so accept unknown ones. */
  state: "suspected" | "held" | (string & Record<never, never>);
  entity_type: EntityType;
  entity_id: string;
  entity_name: string;
  platform_url: string;
  /** The release of a track. Null for artists and releases. */
  release_id: string | null;
  /** The progress, as a sentence for people. */
  summary: string;
  /** Time of the first observation that counts toward the change. */
  detected_at: string;
  last_observed_at: string;
  observations: {
    counted: number;
    needed: number;
  };
  /** The earliest time at which the change can be confirmed. */
  certain_at: string;
};

export type ArtistCheckList = {
  /** Oldest first. */
  data: ArtistCheck[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

/** An artist's numbers on one UTC day. Null means unknown. */
export type ArtistDay = {
  /** UTC. */
  day: string;
  followers: number | null;
  /** Null if Deezer or Spotify does not show the number. */
  monthly_listeners: number | null;
  releases: number | null;
  /** Number of tracks on all releases whose tracks are known. */
  tracks: number | null;
  /** Number of observations on this day, up to the number in your plan. */
  readings: number;
  /** Number of these observations that were complete. */
  complete_readings: number;
};

export type ArtistDayList = {
  /** Oldest first. */
  data: ArtistDay[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

/** An artist that the account watches, with its number of releases, tracks and changes. */
export type ArtistDetail = {
  /** Changes have this id as `artist_id`. */
  id: string;
  /** The artist's identifier on the streaming platform. */
  platform_id: string;
  /** The artist's name. Until the first observation, it is the `platform_id`. */
  name: string;
  /** The last known number, or 0 if none is known yet. */
  monthly_listeners: number;
  /** The last known number, or 0 if none is known yet. */
  followers: number;
  /** The numbers of followers and listeners were read at this time or later. Null until an observation after `watched_since` has shown them. */
  metrics_observed_at: string | null;
  /** `pending`: there has been no complete observation since `watched_since`. `active`: the artist is observed on schedule. `not_found`: the artist does not exist, and after an hour it no longer counts toward your plan. `stale`: observations are overdue, because none has been complete for three intervals of your plan. `merged`: Deezer or Spotify returns another artist, which `POST /artists/{id}/follow-merge` watches instead. Known values: `pending`, `active`, `not_found`, `stale`, `merged`. New values may be added, so accept unknown ones. */
  status: "pending" | "active" | "not_found" | "stale" | "merged" | (string & Record<never, never>);
  /** The other artist's identifier on the streaming platform. Null unless `status` is `merged`. */
  merged_into: string | null;
  /** Why the last observation was not complete. Null unless `status` is `stale`. */
  stale_reason: {
    /** Known codes: rate_limited, platform_error, unclear_response, incomplete_list, not_checked. New codes may be added, so accept unknown ones. */
    code: string;
    /** A sentence for people. */
    message: string;
  } | null;
  /** Time of the last complete observation, updated at most once per interval of your plan. Null until the first complete observation after `watched_since`. */
  last_complete_at: string | null;
  /** The next observation is due by this time. If the time is in the past, the observation is late. A new artist is observed within seconds. */
  next_read_at: string;
  /** Time when the account started to watch the artist. */
  watched_since: string;
  /** The artist's page on Deezer or Spotify. */
  platform_url: string;
  /** `unavailable`: no observation has included this number yet. Ignore its value of 0. Deezer and Spotify do not show listeners. */
  metrics: {
    /** Known values: `available`, `unavailable`. New values may be added, so accept unknown ones. */
    followers: "available" | "unavailable" | (string & Record<never, never>);
    /** Known values: `available`, `unavailable`. New values may be added, so accept unknown ones. */
    monthly_listeners: "available" | "unavailable" | (string & Record<never, never>);
  };
  /** The artist's groups. */
  group_ids: string[];
  counts: {
    /** Number of known releases. Null before the first complete observation. */
    releases: number | null;
    /** Number of tracks on all releases whose tracks are known. */
    tracks: number | null;
    /** Number of changes in the account's feed within the plan's history. */
    changes: number;
    /** Number of changes that are suspected now. */
    checks: number;
  };
};

export type ArtistList = {
  /** The artist that you have watched longest comes first. */
  data: Artist[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

/** The known state of a release. Null means unknown. */
export type ArtistRelease = {
  platform_id: string;
  platform_url: string;
  title: string | null;
  /** album, single, ep, compilation. */
  type: string | null;
  /** YYYY-MM-DD, YYYY-MM or YYYY. */
  release_date: string | null;
  label: string | null;
  upc: string | null;
  explicit: boolean | null;
  /** Identifies the cover. A new cover has a new id. */
  artwork_id: string | null;
  /** Countries where the release is available, as ISO 3166-1 alpha-2 codes. Null if unknown. */
  markets: string[] | null;
  credits: ChangeCredit[] | null;
  /** Null until the tracks have been read. */
  tracks: ({
    platform_id: string;
    platform_url: string;
    title: string | null;
    isrc: string | null;
    /** Position in the release, counted from 1 across all discs. */
    position: number | null;
    explicit: boolean | null;
    credits: ChangeCredit[] | null;
  })[] | null;
};

export type ArtistReleaseList = {
  /** Newest first. Releases without a date come last. */
  data: ArtistRelease[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

export type ArtistSearch = {
  /** In the order in which Deezer or Spotify returns them. */
  data: ({
    platform_id: string;
    name: string;
    /** Null if unknown. */
    followers: number | null;
    /** The artist's page on Deezer or Spotify. */
    platform_url: string;
    /** The id of the artist if the account watches it, otherwise null. */
    artist_id: string | null;
  })[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

/** One request to the destination. */
export type Attempt = {
  id: string;
  /** The number of the attempt, counted from 1 across all rounds. `X-Service-Attempt` has the same number. */
  number: number;
  /** Known values: `succeeded`, `failed`. New values may be added, so accept unknown ones. */
  outcome: "succeeded" | "failed" | (string & Record<never, never>);
  /** What caused the failure: the receiver, or our policy, if the address is not allowed (`policy`). Null on success. Known values: `receiver`, `policy`. New values may be added, so accept unknown ones. */
  blame: "receiver" | "policy" | (string & Record<never, never>) | null;
  /** Null if no status line arrived. */
  status_code: number | null;
  /** Machine-readable error code. Null on success. */
  error: string | null;
  /** The error as a sentence for people. Null on success. */
  reason: string | null;
  /** How to fix the error, as a sentence for people. Null on success. */
  advice: string | null;
  /** The beginning of the response body, at most 4 KiB. */
  response_excerpt: string | null;
  started_at: string;
  ended_at: string;
  duration_ms: number;
};

/** The result of one line. */
export type BulkLine = {
  /** Number of the line, starting at 1. For CSV, the line of the file. */
  line: number;
  input: string;
  /** `watched`: the account watches the artist from now on. `already_watched`: it already did. `limit_reached`: see `error`. `ambiguous`: several artists have this name, or none has exactly this name; see `candidates`. `unknown`: no artist was found. `invalid`: see `error`. `not_looked_up`: looking up the name or short link took too long, so send the line again; see `error`. Known values: `watched`, `already_watched`, `limit_reached`, `ambiguous`, `unknown`, `invalid`, `not_looked_up`. New values may be added, so accept unknown ones. */
  result: "watched" | "already_watched" | "limit_reached" | "ambiguous" | "unknown" | "invalid" | "not_looked_up" | (string & Record<never, never>);
  /** The artist if the account watches it now. */
  artist: {
    /** Changes have this id as `artist_id`. */
    id: string;
    /** The artist's identifier on the streaming platform. */
    platform_id: string;
    /** The artist's name. Until the first observation, it is the `platform_id`. */
    name: string;
    /** The last known number, or 0 if none is known yet. */
    monthly_listeners: number;
    /** The last known number, or 0 if none is known yet. */
    followers: number;
    /** The numbers of followers and listeners were read at this time or later. Null until an observation after `watched_since` has shown them. */
    metrics_observed_at: string | null;
    /** `pending`: there has been no complete observation since `watched_since`. `active`: the artist is observed on schedule. `not_found`: the artist does not exist, and after an hour it no longer counts toward your plan. `stale`: observations are overdue, because none has been complete for three intervals of your plan. `merged`: Deezer or Spotify returns another artist, which `POST /artists/{id}/follow-merge` watches instead. Known values: `pending`, `active`, `not_found`, `stale`, `merged`. New values may be added, so accept unknown ones. */
    status: "pending" | "active" | "not_found" | "stale" | "merged" | (string & Record<never, never>);
    /** The other artist's identifier on the streaming platform. Null unless `status` is `merged`. */
    merged_into: string | null;
    /** Why the last observation was not complete. Null unless `status` is `stale`. */
    stale_reason: {
      /** Known codes: rate_limited, platform_error, unclear_response, incomplete_list, not_checked. New codes may be added, so accept unknown ones. */
      code: string;
      /** A sentence for people. */
      message: string;
    } | null;
    /** Time of the last complete observation, updated at most once per interval of your plan. Null until the first complete observation after `watched_since`. */
    last_complete_at: string | null;
    /** The next observation is due by this time. If the time is in the past, the observation is late. A new artist is observed within seconds. */
    next_read_at: string;
    /** Time when the account started to watch the artist. */
    watched_since: string;
    /** The artist's page on Deezer or Spotify. */
    platform_url: string;
    /** `unavailable`: no observation has included this number yet. Ignore its value of 0. Deezer and Spotify do not show listeners. */
    metrics: {
      /** Known values: `available`, `unavailable`. New values may be added, so accept unknown ones. */
      followers: "available" | "unavailable" | (string & Record<never, never>);
      /** Known values: `available`, `unavailable`. New values may be added, so accept unknown ones. */
      monthly_listeners: "available" | "unavailable" | (string & Record<never, never>);
    };
    /** The artist's groups. */
    group_ids: string[];
  } | null;
  /** Present for `limit_reached`, `invalid` and `not_looked_up`, otherwise null. */
  error: {
    /** An error code. New codes may be added, so accept unknown ones. */
    code?: string;
    message: string;
  } | null;
  /** For `ambiguous`, up to five artists to choose from. Otherwise empty. */
  candidates: ArtistCandidate[];
};

export type BulkLines = {
  /** In the order of the lines in the request. */
  data: BulkLine[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

export type BulkWatch = {
  /** One artist per line, as an id, link or short link of Deezer or Spotify, or as a name. A name that looks like an id is treated as an id. */
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
  /** Time when the change was confirmed. The parameter `since` filters by this time. */
  confirmed_at: string;
  entity_type: EntityType;
  /** The identifier of the artist, release or track on the streaming platform. */
  entity_id: string;
  entity_name: string;
  /** Time when the change was first seen. */
  detected_at: string;
  /** The artist's name at the time of confirmation. */
  artist_name: string;
  /** The entity's page on Deezer or Spotify. Null if `entity_id` is not one of their ids. */
  platform_url: string | null;
  /** Time when the change was recorded, which can be long after `confirmed_at`. Equals `confirmed_at` for changes that were recorded before this field was introduced. */
  recorded_at: string;
  before?: ChangeValue;
  after?: ChangeValue;
  /** True, and present only in a test change. */
  test?: boolean;
  /** The status of the change in your account. `open`: not handled yet. `expected`: the change was intended. Known values: `open`, `handled`, `expected`. New values may be added, so accept unknown ones. */
  status: "open" | "handled" | "expected" | (string & Record<never, never>);
  note: string | null;
  /** The email address of the member who handles the change. */
  assignee: string | null;
};

/** Countries in which many releases of an artist became available or unavailable at the same time. */
export type ChangeCatalogue = {
  /** ISO 3166-1 alpha-2 codes. */
  markets: string[];
  releases: {
    platform_id: string;
    title: string;
  }[];
  /** Number of all releases of the artist. */
  release_count: number;
};

/** Number of changes per UTC day. Days without changes have zeros. */
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

/** A confirmed change with its evidence. */
export type ChangeDetail = {
  id: string;
  type: ChangeType;
  severity: Severity;
  artist_id: string;
  /** A sentence for people. */
  summary: string;
  /** Time when the change was confirmed. The parameter `since` filters by this time. */
  confirmed_at: string;
  entity_type: EntityType;
  /** The identifier of the artist, release or track on the streaming platform. */
  entity_id: string;
  entity_name: string;
  /** Time when the change was first seen. */
  detected_at: string;
  /** The artist's name at the time of confirmation. */
  artist_name: string;
  /** The entity's page on Deezer or Spotify. Null if `entity_id` is not one of their ids. */
  platform_url: string | null;
  /** Time when the change was recorded, which can be long after `confirmed_at`. Equals `confirmed_at` for changes that were recorded before this field was introduced. */
  recorded_at: string;
  before: ChangeValue;
  after: ChangeValue;
  /** True, and present only in a test change. */
  test?: boolean;
  /** The status of the change in your account. `open`: not handled yet. `expected`: the change was intended. Known values: `open`, `handled`, `expected`. New values may be added, so accept unknown ones. */
  status: "open" | "handled" | "expected" | (string & Record<never, never>);
  note: string | null;
  /** The email address of the member who handles the change. */
  assignee: string | null;
  /** The release of a track. Null for artists and releases. */
  release_id: string | null;
  release_name: string | null;
  /** `observed`: we detected the change. `reported`: another detector sent it to us and stores the evidence. Known values: `observed`, `reported`. New values may be added, so accept unknown ones. */
  origin: "observed" | "reported" | (string & Record<never, never>);
  /** The evidence, oldest first. Empty for a reported change. */
  observations: ChangeObservation[];
};

export type ChangeList = {
  /** Newest first. With `after`, in the order in which the changes became readable. */
  data: Change[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

/** An observation that counted toward a change, or did not count. */
export type ChangeObservation = {
  observed_at: string;
  /** `counted`: the observation counts toward the change. `not_counted`: it does not count, and `text` gives the reason. `held`: too many entities were missing at the same time, so the change needed more observations than usual. Known values: `counted`, `not_counted`, `held`. New values may be added, so accept unknown ones. */
  kind: "counted" | "not_counted" | "held" | (string & Record<never, never>);
  /** A sentence for people. */
  text: string;
  /** The reads of this observation and their results. Empty if nothing was read. */
  readings: ({
    /** `list`: a complete list or entity was read. `direct`: the entity was requested by its id. Known values: `list`, `direct`. New values may be added, so accept unknown ones. */
    read: "list" | "direct" | (string & Record<never, never>);
    /** `missing`: not in the list. `changed`: a different value. `present`: as before. `gone`: does not exist. `unclear`: the response allowed no conclusion. Known values: `missing`, `changed`, `present`, `gone`, `unclear`. New values may be added, so accept unknown ones. */
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
  /** YYYY-MM-DD, YYYY-MM or YYYY. */
  release_date: string | null;
  upc: string | null;
};

/** Identifies an added or removed track. */
export type ChangeTrack = {
  platform_id: string;
  title: string | null;
  isrc: string | null;
  /** Position in the release, counted from 1 across all discs. */
  position: number | null;
};

/** Known values: `release_removed`, `track_removed`, `artist_removed`, `artist_merged`, `artist_restored`, `release_added`, `track_added`, `release_restored`, `release_replaced`, `release_moved`, `release_title_changed`, `track_title_changed`, `release_date_changed`, `artwork_changed`, `label_changed`, `upc_changed`, `track_replaced`, `credits_changed`, `explicit_flag_changed`, `artist_image_changed`, `isrc_changed`, `artist_name_changed`, `availability_reduced`, `availability_expanded`, `followers_spike`, `followers_drop`. New values may be added, so accept unknown ones. */
export type ChangeType = "release_removed" | "track_removed" | "artist_removed" | "artist_merged" | "artist_restored" | "release_added" | "track_added" | "release_restored" | "release_replaced" | "release_moved" | "release_title_changed" | "track_title_changed" | "release_date_changed" | "artwork_changed" | "label_changed" | "upc_changed" | "track_replaced" | "credits_changed" | "explicit_flag_changed" | "artist_image_changed" | "isrc_changed" | "artist_name_changed" | "availability_reduced" | "availability_expanded" | "followers_spike" | "followers_drop" | (string & Record<never, never>);

/** The form depends on the type of the change: text (title, name, label, UPC, ISRC), a date, the content id of a picture, a flag, a number, credits, countries, a release or a track. Types that we do not detect can have an object of any form. Null if there was no value, if there no longer is one, or if none was reported. */
export type ChangeValue = string | number | boolean | ChangeCredit[] | string[] | ChangeRelease | ChangeTrack | ChangeCatalogue | Record<string, unknown> | null;

export type CreatedDestination = {
  id: string;
  /** A name that the account has chosen. Null if there is none. */
  name: string | null;
  /** Known values: `webhook`, `slack`, `discord`. New values may be added, so accept unknown ones. */
  kind: "webhook" | "slack" | "discord" | (string & Record<never, never>);
  /** The URL. For Slack and Discord, the secret part is omitted. */
  url: string;
  /** If a destination is `off`, only tests are sent to it. Known values: `active`, `off`. New values may be added, so accept unknown ones. */
  state: "active" | "off" | (string & Record<never, never>);
  /** True if the plan no longer includes destinations of this kind. In that case, nothing is sent, regardless of `state`. */
  paused_by_plan: boolean;
  /** True if webhooks to this destination are signed. */
  signed: boolean;
  /** True if there is a next secret that is not active yet: after rotate-secret and before activate-secret. */
  next_secret_pending: boolean;
  /** Your custom headers, which each request includes. Their values are never shown. Always empty for Slack and Discord. */
  headers: {
    name: string;
    /** Always `(hidden)`. */
    value: string;
  }[];
  /** True if webhooks also have the headers of Standard Webhooks. Always false for Slack and Discord. */
  standard_webhooks: boolean;
  rules: DestinationRules;
  /** Warnings about rules that are probably mistakes. Usually empty. */
  rule_warnings: RuleWarning[];
  /** Number of failed attempts in a row. The 20th failure switches the destination off. */
  consecutive_failures: number;
  created_at: string;
  switched_off_at: string | null;
  /** A sentence for people. Programs should use `switched_off`. */
  switched_off_reason: string | null;
  /** Null if the destination is active. */
  switched_off: {
    /** `switched_off`: switched off after too many failures. `disabled`: switched off by request. Known values: `switched_off`, `disabled`. New values may be added, so accept unknown ones. */
    code: "switched_off" | "disabled" | (string & Record<never, never>);
    at: string;
    /** Number of failed attempts in a row at that time. */
    consecutive_failures: number;
    /** The HTTP status of the last failed attempt. Null if there was no response. */
    last_status: number | null;
    /** The `error` of the last failed attempt. Null if the event is not about a failure. */
    last_error: string | null;
  } | null;
  /** Deliveries of the last 24 hours. */
  stats_24h: {
    /** Number of deliveries. At most the newest 10,000 are counted. */
    deliveries: number;
    pending: number;
    succeeded: number;
    failed: number;
    skipped: number;
  };
  /** Warnings about the current run of failures, newest first. Empty after a success or `enable`. */
  warnings: DestinationWarning[];
  /** Events, newest first. Contains the newest 20 events about failures and the newest 20 other events. */
  notices: DestinationNotice[];
  /** The signing secret, which only this response shows. Null for unsigned webhooks. */
  secret: string | null;
};

export type CreateDestination = {
  /** A name of 1 to 100 characters, for people. Null for no name. */
  name?: string | null;
  /** `webhook` is your own endpoint (Business plan). `slack` and `discord` are for incoming-webhook URLs (Starter and up), which require the matching kind. The URL contains a secret, so responses show only a part of it. */
  kind?: "webhook" | "slack" | "discord";
  /** An absolute http or https URL on the public internet, with port 80, 443 or 1024 to 65535, and without user info. A public IP address is also accepted, although the pattern requires a host name. */
  url: string;
  /** "generate", your own secret of 16 to 256 printable ASCII characters without a comma, or null for unsigned webhooks. Slack and Discord destinations have no secret. */
  secret?: string | null;
  /** At most 10 headers to add to each request. An update replaces the whole list, and [] removes all headers. If you change the scheme, host or port of the URL, send the headers again. Values are encrypted and never shown. You cannot use `X-Service-*`, `webhook-*`, `Content-*`, `Proxy-*`, `Host`, `User-Agent`, `Expect` or connection headers such as `Connection` and `Transfer-Encoding`. For webhooks only. */
  headers?: {
    name: string;
    value: string;
  }[];
  /** If true, requests also have the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks (https://www.standardwebhooks.com), so that its libraries can verify them. For webhooks only. Default: false. */
  standard_webhooks?: boolean;
  rules?: DestinationRulesInput;
};

/** A feed with its token, which is shown only once. */
export type CreatedFeed = {
  id: string;
  name: string | null;
  /** The first characters of the token. */
  hint: string;
  created_at: string;
  /** The email address of a member, the id of an API key, or `operator`. */
  created_by: string;
  /** Time of the last request, which can lag by up to a minute. Null before the first request. */
  last_used_at: string | null;
  /** The token, which only this response shows. */
  token: string;
  /** The path of the feed on the host of {base_url}. You can add filters for changes to it. */
  path: string;
  /** The URL of the feed. Null if the operator has not configured the base URL. */
  url: string | null;
};

/** A test change and its deliveries. */
export type CreatedTestChange = {
  change: Change;
  /** One for each destination whose rules match. */
  deliveries: Delivery[];
};

export type CreateFeed = {
  /** A name of 1 to 100 characters, for people. Null for no name. */
  name?: string | null;
};

export type CreateGroup = {
  /** A name of 1 to 50 characters. Names are unique, whatever their case. */
  name: string;
  /** Default: gray. */
  color?: "blue" | "teal" | "green" | "amber" | "red" | "pink" | "purple" | "gray";
};

export type CreateTestChange = {
  /** Any type in snake_case. Default: release_removed. */
  type?: string;
  /** A watched artist. Default: a sample artist. */
  artist_id?: string;
  /** Default: the severity of the type, or `info` for an unknown type. */
  severity?: "critical" | "warning" | "info";
};

/** A change that is sent to a destination. */
export type Delivery = {
  id: string;
  destination_id: string;
  /** Null if the delivery is a test of its destination. */
  change_id: string | null;
  /** Known values: `pending`, `succeeded`, `failed`, `skipped`. New values may be added, so accept unknown ones. */
  state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
  /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. New values may be added, so accept unknown ones. */
  trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
  attempt_count: number;
  /** Null unless the delivery is pending. */
  next_attempt_at: string | null;
  created_at: string;
  /** Null while the delivery is pending. */
  settled_at: string | null;
  skipped_reason: string | null;
};

export type DeliveryDetail = {
  id: string;
  destination_id: string;
  /** Null if the delivery is a test of its destination. */
  change_id: string | null;
  /** Known values: `pending`, `succeeded`, `failed`, `skipped`. New values may be added, so accept unknown ones. */
  state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
  /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. New values may be added, so accept unknown ones. */
  trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
  attempt_count: number;
  /** Null unless the delivery is pending. */
  next_attempt_at: string | null;
  created_at: string;
  /** Null while the delivery is pending. */
  settled_at: string | null;
  skipped_reason: string | null;
  /** Oldest first. */
  attempts: Attempt[];
  /** Null if the delivery is a test. */
  change: {
    type: ChangeType;
    severity: Severity;
    summary: string;
    entity_type: EntityType;
    entity_name: string;
    artist_id: string;
    /** The artist's name at the time of confirmation. */
    artist_name: string;
  } | null;
  /** Null if the change was deleted, because it is older than the longest history of any plan. */
  request: {
    /** Known values: `POST`. New values may be added, so accept unknown ones. */
    method: "POST" | (string & Record<never, never>);
    /** The current URL of the destination. */
    url: string;
    /** The headers of the latest attempt. If there is none yet, the headers of the first attempt. Signatures and custom header values are hidden. */
    headers: {
      name: string;
      value: string;
    }[];
    /** The exact body that every attempt sends, in UTF-8. */
    body: string;
  } | null;
};

export type DeliveryList = {
  /** Newest first. */
  data: ListedDelivery[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

/** A webhook, or a Slack or Discord channel, that receives changes. */
export type Destination = {
  id: string;
  /** A name that the account has chosen. Null if there is none. */
  name: string | null;
  /** Known values: `webhook`, `slack`, `discord`. New values may be added, so accept unknown ones. */
  kind: "webhook" | "slack" | "discord" | (string & Record<never, never>);
  /** The URL. For Slack and Discord, the secret part is omitted. */
  url: string;
  /** If a destination is `off`, only tests are sent to it. Known values: `active`, `off`. New values may be added, so accept unknown ones. */
  state: "active" | "off" | (string & Record<never, never>);
  /** True if the plan no longer includes destinations of this kind. In that case, nothing is sent, regardless of `state`. */
  paused_by_plan: boolean;
  /** True if webhooks to this destination are signed. */
  signed: boolean;
  /** True if there is a next secret that is not active yet: after rotate-secret and before activate-secret. */
  next_secret_pending: boolean;
  /** Your custom headers, which each request includes. Their values are never shown. Always empty for Slack and Discord. */
  headers: {
    name: string;
    /** Always `(hidden)`. */
    value: string;
  }[];
  /** True if webhooks also have the headers of Standard Webhooks. Always false for Slack and Discord. */
  standard_webhooks: boolean;
  rules: DestinationRules;
  /** Warnings about rules that are probably mistakes. Usually empty. */
  rule_warnings: RuleWarning[];
  /** Number of failed attempts in a row. The 20th failure switches the destination off. */
  consecutive_failures: number;
  created_at: string;
  switched_off_at: string | null;
  /** A sentence for people. Programs should use `switched_off`. */
  switched_off_reason: string | null;
  /** Null if the destination is active. */
  switched_off: {
    /** `switched_off`: switched off after too many failures. `disabled`: switched off by request. Known values: `switched_off`, `disabled`. New values may be added, so accept unknown ones. */
    code: "switched_off" | "disabled" | (string & Record<never, never>);
    at: string;
    /** Number of failed attempts in a row at that time. */
    consecutive_failures: number;
    /** The HTTP status of the last failed attempt. Null if there was no response. */
    last_status: number | null;
    /** The `error` of the last failed attempt. Null if the event is not about a failure. */
    last_error: string | null;
  } | null;
  /** Deliveries of the last 24 hours. */
  stats_24h: {
    /** Number of deliveries. At most the newest 10,000 are counted. */
    deliveries: number;
    pending: number;
    succeeded: number;
    failed: number;
    skipped: number;
  };
  /** Warnings about the current run of failures, newest first. Empty after a success or `enable`. */
  warnings: DestinationWarning[];
  /** Events, newest first. Contains the newest 20 events about failures and the newest 20 other events. */
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
  /** Known values: `warning`, `switched_off`, `disabled`, `enabled`, `secret_rotated`, `secret_activated`, `paused_by_plan`, `resumed_by_plan`. New values may be added, so accept unknown ones. */
  kind: "warning" | "switched_off" | "disabled" | "enabled" | "secret_rotated" | "secret_activated" | "paused_by_plan" | "resumed_by_plan" | (string & Record<never, never>);
  /** The same value as `kind`. */
  code: string;
  at: string;
  /** Number of failed attempts in a row at that time. */
  consecutive_failures: number;
  message: string;
  /** The HTTP status of the last failed attempt. Null if there was no response. */
  last_status: number | null;
  /** The `error` of the last failed attempt. Null if the event is not about a failure. */
  last_error: string | null;
};

/** Selects the changes that a destination receives. A change must match the severity, the types, and the artists or groups. A change matches a list if it matches any entry. */
export type DestinationRules = {
  /** The lowest severity that is sent. Null means that all severities are sent. Known values: `critical`, `warning`, `info`. New values may be added, so accept unknown ones. */
  min_severity: "critical" | "warning" | "info" | (string & Record<never, never>) | null;
  /** The change types that are sent. An empty list means all types. */
  change_types: string[];
  /** The artists whose changes are sent. If `group_ids` is empty too, this means all watched artists. */
  artist_ids: string[];
  /** The groups whose artists are added to those of `artist_ids`. */
  group_ids: string[];
};

/** If a rule is omitted, a new destination gets all changes, and an update leaves the rule unchanged. A body can have at most 16 KiB, so send two long lists in two requests. */
export type DestinationRulesInput = {
  /** The lowest severity to send. Null sends all severities. */
  min_severity?: "critical" | "warning" | "info" | null;
  /** At most 200 change types in snake_case (see `ChangeType`). An empty list sends all types. Unknown types produce a warning in `rule_warnings`. */
  change_types?: string[];
  /** The ids of at most 400 artists. If this list and `group_ids` are empty, the changes of all watched artists are sent. */
  artist_ids?: string[];
  /** The ids of at most 50 groups. Their artists are added to those of `artist_ids`. */
  group_ids?: string[];
};

export type DestinationWarning = {
  /** Known values: `warning`, `switched_off`. New values may be added, so accept unknown ones. */
  kind: "warning" | "switched_off" | (string & Record<never, never>);
  /** The same value as `kind`. */
  code: string;
  at: string;
  /** Number of failed attempts in a row at that time. */
  consecutive_failures: number;
  message: string;
  /** The HTTP status of the last failed attempt. Null if there was no response. */
  last_status: number | null;
  /** The `error` of the last failed attempt. Null if the event is not about a failure. */
  last_error: string | null;
};

/** The source addresses of webhook requests. */
export type EgressAddresses = {
  /** IPv4 and IPv6 addresses and CIDR ranges. Empty if this installation does not publish them. */
  addresses: string[];
};

/** The kind of entity that changed. Known values: `artist`, `release`, `track`. New values may be added, so accept unknown ones. */
export type EntityType = "artist" | "release" | "track" | (string & Record<never, never>);

/** The body of every error response. */
export type Error = {
  error: ErrorDetail;
};

export type ErrorDetail = {
  /** For programs. Known codes: `invalid_json`, `invalid_input`, `invalid_since`, `invalid_cursor`, `invalid_limit`, `invalid_isrc`, `unsupported_url`, `unauthorized`, `insufficient_scope`, `plan_required`, `plan_limit_reached`, `not_found`, `track_not_found`, `method_not_allowed`, `request_timeout`, `conflict`, `idempotency_conflict`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `daily_allowance_exceeded`, `headers_too_large`, `internal_error`, `upstream_error`, `service_unavailable`, `upstream_unavailable`, `upstream_timeout`. New codes may be added, so accept unknown ones. */
  code: string;
  /** A message for people. Its wording may change. */
  message: string;
  /** The invalid parameters, at most 20. Absent if no parameter is invalid. */
  errors?: ParamProblem[];
};

/** A token for the private Atom feed. */
export type Feed = {
  id: string;
  name: string | null;
  /** The first characters of the token. */
  hint: string;
  created_at: string;
  /** The email address of a member, the id of an API key, or `operator`. */
  created_by: string;
  /** Time of the last request, which can lag by up to a minute. Null before the first request. */
  last_used_at: string | null;
};

export type FeedList = {
  /** All feeds, newest first. */
  data: Feed[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

/** A group of watched artists. An artist can be in several groups. */
export type Group = {
  id: string;
  name: string;
  /** Known values: `blue`, `teal`, `green`, `amber`, `red`, `pink`, `purple`, `gray`. New values may be added, so accept unknown ones. */
  color: "blue" | "teal" | "green" | "amber" | "red" | "pink" | "purple" | "gray" | (string & Record<never, never>);
  /** Number of artists in the group. */
  artists: number;
  created_at: string;
};

export type GroupList = {
  /** All groups, sorted by name. */
  data: Group[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

/** A delivery with its latest attempt. */
export type ListedDelivery = {
  id: string;
  destination_id: string;
  /** Null if the delivery is a test of its destination. */
  change_id: string | null;
  /** Known values: `pending`, `succeeded`, `failed`, `skipped`. New values may be added, so accept unknown ones. */
  state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
  /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. New values may be added, so accept unknown ones. */
  trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
  attempt_count: number;
  /** Null unless the delivery is pending. */
  next_attempt_at: string | null;
  created_at: string;
  /** Null while the delivery is pending. */
  settled_at: string | null;
  skipped_reason: string | null;
  /** The latest attempt. Null if there is none yet. */
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
  /** A Deezer or Spotify link to a track on the platform in use. The pattern shows the accepted forms. Short links are accepted too. */
  input: string;
};

export type MatchingRecoveryPreview = {
  /** Nothing was sent. */
  dry_run: true;
  /** Total number of deliveries that a recovery without `dry_run` would send in all its calls. */
  would_send: number;
  /** The same number as `would_send`. Use `would_send` instead. */
  recovered: number;
  /** The oldest delivery that would be sent. Null if there is none. */
  first: {
    id: string;
    destination_id: string;
    /** Null if the delivery is a test of its destination. */
    change_id: string | null;
    /** Known values: `pending`, `succeeded`, `failed`, `skipped`. New values may be added, so accept unknown ones. */
    state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
    /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. New values may be added, so accept unknown ones. */
    trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
    attempt_count: number;
    /** Null unless the delivery is pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while the delivery is pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
  /** The newest delivery that would be sent. Null if there is none. */
  last: {
    id: string;
    destination_id: string;
    /** Null if the delivery is a test of its destination. */
    change_id: string | null;
    /** Known values: `pending`, `succeeded`, `failed`, `skipped`. New values may be added, so accept unknown ones. */
    state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
    /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. New values may be added, so accept unknown ones. */
    trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
    attempt_count: number;
    /** Null unless the delivery is pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while the delivery is pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
  /** Number of matching deliveries that are not sent because their destinations are off or paused. */
  left_out: number;
};

/** A person with access to the account. */
export type Member = {
  id: string;
  email: string;
  /** An owner can also manage members, keys and secrets. Known values: `owner`, `member`. New values may be added, so accept unknown ones. */
  role: "owner" | "member" | (string & Record<never, never>);
  created_at: string;
  /** Time of the first sign-in. Null before it. */
  joined_at: string | null;
};

export type MemberList = {
  /** Oldest first. */
  data: Member[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

/** An invalid parameter. */
export type ParamProblem = {
  /** The name of a query parameter, a header, or a field of the body such as `rules.artist_ids.0`. */
  param: string;
  /** A message for people. Its wording may change. */
  message: string;
};

export type PreviewedChange = {
  id: string;
  type: ChangeType;
  severity: Severity;
  entity_type: EntityType;
  entity_name: string;
  artist_id: string;
  /** The artist's name at the time of confirmation. */
  artist_name: string;
  summary: string;
  confirmed_at: string;
  /** The rules that exclude the change. Empty if the change matches. */
  kept_back_by: ("min_severity" | "change_types" | "artist_ids" | (string & Record<never, never>))[];
};

export type PreviewRulesRequest = {
  rules: DestinationRulesInput;
};

export type Recovered = {
  /** Number of deliveries that this call sends, at most 10,000. */
  recovered: number;
  /** Number of matching deliveries that remain. Send `next_cursor` to continue. */
  remaining: number;
  /** The `cursor` for the next call. Null if nothing remains. */
  next_cursor: string | null;
};

export type RecoverMatchingRequest = {
  /** RFC 3339 time with a zone. Only deliveries created at this time or later. */
  since: string;
  /** An RFC 3339 time with a zone, after `since`. Only deliveries created before this time are sent. Default: no end. */
  until?: string;
  /** Only deliveries to this destination, which must be active. */
  destination?: string;
  /** Only deliveries in this state. Default: both states. */
  state?: "failed" | "skipped";
  /** Only deliveries of this change. */
  change?: string;
  /** Only deliveries with this trigger. */
  trigger?: "change" | "resend" | "recover";
  /** Only deliveries whose newest failed attempt has this error. */
  error?: "unexpected_status" | "redirected" | "timed_out" | "connection_reset" | "connection_closed" | "malformed_answer" | "headers_too_large" | "tls_failed" | "tls_refused" | "client_certificate_required" | "http2_required" | "certificate_expired" | "certificate_not_yet_valid" | "certificate_revoked" | "certificate_name_mismatch" | "certificate_self_signed" | "certificate_not_trusted" | "certificate_too_weak" | "certificate_chain_incomplete" | "address_revoked" | "channel_unavailable" | "posting_forbidden" | "message_refused" | "forbidden_address" | "forbidden_port" | "forbidden_destination" | "name_not_found" | "name_lookup_failed" | "connection_refused" | "connection_timed_out" | "connection_failed";
  /** Only deliveries whose newest failed attempt has a status in this class. `none` means that no status line arrived. */
  status_class?: "3xx" | "4xx" | "5xx" | "none";
  /** Only deliveries whose newest failed attempt has this `blame`. */
  blame?: "receiver" | "policy";
  /** The `next_cursor` of the previous call, to continue the recovery. Send the same time range and filters. */
  cursor?: string;
  /** If true, nothing is sent. The deliveries are only counted. */
  dry_run?: boolean;
};

export type RecoverRequest = {
  /** An RFC 3339 time with a zone. Only deliveries created at this time or later are sent. Some deliveries were already pending when the destination was switched off. To include them, use the time of the first warning, or an earlier time. */
  since: string;
  /** An RFC 3339 time with a zone, after `since`. Only deliveries created before this time are sent. Default: no end. */
  until?: string;
  /** The `next_cursor` of the previous call, to continue the recovery. Send the same time range and filters. */
  cursor?: string;
  /** If true, nothing is sent. The deliveries are only counted. */
  dry_run?: boolean;
};

export type RecoveryPreview = {
  /** Nothing was sent. */
  dry_run: true;
  /** Total number of deliveries that a recovery without `dry_run` would send in all its calls. */
  would_send: number;
  /** The same number as `would_send`. Use `would_send` instead. */
  recovered: number;
  /** The oldest delivery that would be sent. Null if there is none. */
  first: {
    id: string;
    destination_id: string;
    /** Null if the delivery is a test of its destination. */
    change_id: string | null;
    /** Known values: `pending`, `succeeded`, `failed`, `skipped`. New values may be added, so accept unknown ones. */
    state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
    /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. New values may be added, so accept unknown ones. */
    trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
    attempt_count: number;
    /** Null unless the delivery is pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while the delivery is pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
  /** The newest delivery that would be sent. Null if there is none. */
  last: {
    id: string;
    destination_id: string;
    /** Null if the delivery is a test of its destination. */
    change_id: string | null;
    /** Known values: `pending`, `succeeded`, `failed`, `skipped`. New values may be added, so accept unknown ones. */
    state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
    /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. New values may be added, so accept unknown ones. */
    trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
    attempt_count: number;
    /** Null unless the delivery is pending. */
    next_attempt_at: string | null;
    created_at: string;
    /** Null while the delivery is pending. */
    settled_at: string | null;
    skipped_reason: string | null;
  } | null;
};

export type Reverse = {
  /** The normalized ISRC with 12 upper-case characters. */
  isrc: string;
  /** The first track in `matches`. */
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
      /** YYYY-MM-DD, YYYY-MM or YYYY. */
      release_date: string | null;
      upc: string | null;
      label: string | null;
    } | null;
  };
  /** All tracks that have this ISRC in the source. The source's preferred track comes first. */
  matches: Track[];
  source: Source;
};

export type ReverseRequest = {
  /** An ISRC. Case, spaces and hyphens do not matter. */
  isrc: string;
};

export type RotatedDestination = {
  id: string;
  /** A name that the account has chosen. Null if there is none. */
  name: string | null;
  /** Known values: `webhook`, `slack`, `discord`. New values may be added, so accept unknown ones. */
  kind: "webhook" | "slack" | "discord" | (string & Record<never, never>);
  /** The URL. For Slack and Discord, the secret part is omitted. */
  url: string;
  /** If a destination is `off`, only tests are sent to it. Known values: `active`, `off`. New values may be added, so accept unknown ones. */
  state: "active" | "off" | (string & Record<never, never>);
  /** True if the plan no longer includes destinations of this kind. In that case, nothing is sent, regardless of `state`. */
  paused_by_plan: boolean;
  /** True if webhooks to this destination are signed. */
  signed: boolean;
  /** True if there is a next secret that is not active yet: after rotate-secret and before activate-secret. */
  next_secret_pending: boolean;
  /** Your custom headers, which each request includes. Their values are never shown. Always empty for Slack and Discord. */
  headers: {
    name: string;
    /** Always `(hidden)`. */
    value: string;
  }[];
  /** True if webhooks also have the headers of Standard Webhooks. Always false for Slack and Discord. */
  standard_webhooks: boolean;
  rules: DestinationRules;
  /** Warnings about rules that are probably mistakes. Usually empty. */
  rule_warnings: RuleWarning[];
  /** Number of failed attempts in a row. The 20th failure switches the destination off. */
  consecutive_failures: number;
  created_at: string;
  switched_off_at: string | null;
  /** A sentence for people. Programs should use `switched_off`. */
  switched_off_reason: string | null;
  /** Null if the destination is active. */
  switched_off: {
    /** `switched_off`: switched off after too many failures. `disabled`: switched off by request. Known values: `switched_off`, `disabled`. New values may be added, so accept unknown ones. */
    code: "switched_off" | "disabled" | (string & Record<never, never>);
    at: string;
    /** Number of failed attempts in a row at that time. */
    consecutive_failures: number;
    /** The HTTP status of the last failed attempt. Null if there was no response. */
    last_status: number | null;
    /** The `error` of the last failed attempt. Null if the event is not about a failure. */
    last_error: string | null;
  } | null;
  /** Deliveries of the last 24 hours. */
  stats_24h: {
    /** Number of deliveries. At most the newest 10,000 are counted. */
    deliveries: number;
    pending: number;
    succeeded: number;
    failed: number;
    skipped: number;
  };
  /** Warnings about the current run of failures, newest first. Empty after a success or `enable`. */
  warnings: DestinationWarning[];
  /** Events, newest first. Contains the newest 20 events about failures and the newest 20 other events. */
  notices: DestinationNotice[];
  /** The next signing secret, which only this response shows. It becomes active with activate-secret. */
  next_secret: string;
};

export type RotateSecretRequest = {
  /** If true, a next secret that is not active yet is discarded. Receivers must remove it. */
  replace?: boolean;
};

export type RulesPreview = {
  /** Number of days that the preview covers. It covers at most the newest 10,000 changes. */
  days: number;
  matching: {
    /** Number of changes that match the rules. */
    count: number;
    /** The newest changes, at most 10, newest first. */
    newest: PreviewedChange[];
  };
  others: {
    /** Number of changes that the rules exclude. */
    count: number;
    /** Number of changes that each rule excludes. A change can count for several rules. `artist_ids` includes `group_ids`. */
    by_rule: {
      min_severity: number;
      change_types: number;
      artist_ids: number;
    };
    /** The newest changes, at most 10, newest first. */
    newest: PreviewedChange[];
  };
};

/** A warning about a rule that is probably a mistake. */
export type RuleWarning = {
  param: string;
  /** Known values: `unknown_change_type`. New values may be added, so accept unknown ones. */
  code: "unknown_change_type" | (string & Record<never, never>);
  /** For people. */
  message: string;
};

/** The severity of a change, highest first. Known values: `critical`, `warning`, `info`. New values may be added, so accept unknown ones. */
export type Severity = "critical" | "warning" | "info" | (string & Record<never, never>);

export type Source = {
  /** The name of the source. */
  name: string;
  retrieved_at: string;
};

export type TestedDelivery = {
  id: string;
  destination_id: string;
  /** Null if the delivery is a test of its destination. */
  change_id: string | null;
  /** Known values: `pending`, `succeeded`, `failed`, `skipped`. New values may be added, so accept unknown ones. */
  state: "pending" | "succeeded" | "failed" | "skipped" | (string & Record<never, never>);
  /** The cause of the delivery: a confirmed change, a test, a resend or a recovery. Known values: `change`, `recover`, `test`, `resend`. New values may be added, so accept unknown ones. */
  trigger: "change" | "recover" | "test" | "resend" | (string & Record<never, never>);
  attempt_count: number;
  /** Null unless the delivery is pending. */
  next_attempt_at: string | null;
  created_at: string;
  /** Null while the delivery is pending. */
  settled_at: string | null;
  skipped_reason: string | null;
  /** Oldest first. */
  attempts: Attempt[];
  /** Null if the delivery is a test. */
  change: {
    type: ChangeType;
    severity: Severity;
    summary: string;
    entity_type: EntityType;
    entity_name: string;
    artist_id: string;
    /** The artist's name at the time of confirmation. */
    artist_name: string;
  } | null;
  /** Null if the change was deleted, because it is older than the longest history of any plan. */
  request: {
    /** Known values: `POST`. New values may be added, so accept unknown ones. */
    method: "POST" | (string & Record<never, never>);
    /** The current URL of the destination. */
    url: string;
    /** The headers of the latest attempt. If there is none yet, the headers of the first attempt. Signatures and custom header values are hidden. */
    headers: {
      name: string;
      value: string;
    }[];
    /** The exact body that every attempt sends, in UTF-8. */
    body: string;
  } | null;
  /** Why the test failed or has no result yet, as a sentence for people. Null after a success. */
  message: string | null;
};

export type TestRequest = {
  /** The type of the sample change. Default: release_added. */
  change_type?: string;
  /** The maximum time to wait for the attempt, in seconds. 12 seconds is enough, even if the receiver does not respond. */
  wait_seconds?: number;
};

export type Tools = {
  allowance: {
    /** Maximum number of tool calls per UTC day, in the API and the dashboard together. */
    limit: number;
    used: number;
    remaining: number;
    /** Time of the next reset, which is at 00:00 UTC. */
    resets_at: string;
  };
  /** The names of the tools. */
  tools: string[];
};

/** A track on Deezer or Spotify. Null means unknown. */
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
    /** YYYY-MM-DD, YYYY-MM or YYYY. */
    release_date: string | null;
    upc: string | null;
    label: string | null;
  } | null;
};

export type UpdateChange = {
  status?: "open" | "handled" | "expected";
  /** Up to 1000 characters. Null removes the note. */
  note?: string | null;
  /** The email address of a member. Null removes the assignee. */
  assignee?: string | null;
};

export type UpdateDestination = {
  /** A name of 1 to 100 characters, for people. Null for no name. */
  name?: string | null;
  /** An absolute http or https URL on the public internet, with port 80, 443 or 1024 to 65535, and without user info. A public IP address is also accepted, although the pattern requires a host name. */
  url?: string;
  /** At most 10 headers to add to each request. An update replaces the whole list, and [] removes all headers. If you change the scheme, host or port of the URL, send the headers again. Values are encrypted and never shown. You cannot use `X-Service-*`, `webhook-*`, `Content-*`, `Proxy-*`, `Host`, `User-Agent`, `Expect` or connection headers such as `Connection` and `Transfer-Encoding`. For webhooks only. */
  headers?: {
    name: string;
    value: string;
  }[];
  /** If true, requests also have the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks (https://www.standardwebhooks.com), so that its libraries can verify them. For webhooks only. Default: false. */
  standard_webhooks?: boolean;
  rules?: DestinationRulesInput;
};

/** Omitted fields stay unchanged. */
export type UpdateGroup = {
  /** A name of 1 to 50 characters. Names are unique, whatever their case. */
  name?: string;
  color?: "blue" | "teal" | "green" | "amber" | "red" | "pink" | "purple" | "gray";
  /** Adds these artists. Artists that the account does not watch are ignored. */
  add_artist_ids?: string[];
  /** Removes these artists from the group. */
  remove_artist_ids?: string[];
};

export type Usage = {
  /** Known values: `free`, `starter`, `pro`, `business`. New values may be added, so accept unknown ones. */
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
  /** Webhook destinations, including paused ones. */
  destinations: {
    used: number;
    limit: number;
  };
  /** Slack and Discord destinations, including paused ones. */
  chat_destinations: {
    used: number;
    limit: number;
  };
  /** Tool calls on the current UTC day. */
  tools: {
    used: number;
    limit: number;
  };
  /** Number of requests per hour that all API keys of the account can make together. */
  api_rate_per_hour: number;
  /** Destinations that the plan no longer includes. They are kept, but nothing is sent to them. */
  paused_by_plan: {
    destinations: number;
  };
};

/** The usage on one UTC day. */
export type UsageDay = {
  /** UTC. */
  day: string;
  /** Number of API requests, excluding those rejected with `rate_limited`. Can lag by up to a minute. */
  requests: number;
  tool_calls: number;
  /** Number of deliveries created on this day, in any state. */
  deliveries: number;
};

export type UsageDayList = {
  /** Oldest day first. The last day is today. */
  data: UsageDay[];
  /** To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page. */
  next_cursor: string | null;
};

export type WatchArtist = {
  /** The artist's Deezer or Spotify id. */
  platform_id?: string;
  /** A Deezer or Spotify link to the artist. */
  url?: string;
};

/** A confirmed change. `detected_at` and `confirmed_at` are Unix times in seconds. `before` and `after` are omitted if they are long. `test` is true in tests (`POST /v1/destinations/{id}/test`) and absent otherwise. */
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
      /** Only changes confirmed at this time or later. Default: 24 hours before the request. */
      since?: string;
      /** Only changes of this type. Repeat the parameter for several types. */
      type?: string[];
      /** Only changes with this severity or a higher one. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** Only changes of artists in this group. */
      group_id?: string;
      /** Only changes of the artist, release or track that has this identifier on the streaming platform. */
      entity_id?: string;
      /** Only changes that have this status in your account. */
      status?: "open" | "handled" | "expected";
      /** Only changes confirmed before this time. */
      until?: string;
      /** Only changes with all of these words in the entity's name, the artist's name or the summary. Ignores case and accents. */
      q?: string;
      /** Includes test changes. Default: false. */
      include_test?: boolean;
      /** The `next_cursor` from an earlier response to a request with `after`, or `now` to start after the newest change. Changes are listed in the order in which they become readable. You can combine `after` with any filters. */
      after?: string;
      /** The maximum number of items on the page. */
      limit?: number;
      /** The `next_cursor` of the previous page. It is valid only for the same list and account. To get the next page, send only `cursor` (and `limit`). */
      cursor?: string;
    };
    result: ChangeList;
  };
  /** Count changes by day */
  countChanges: {
    query?: {
      by?: "day";
      /** Only changes confirmed at this time or later. Default: the start of the last 30 UTC days. */
      since?: string;
      /** Only changes of this type. Repeat the parameter for several types. */
      type?: string[];
      /** Only changes with this severity or a higher one. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** Only changes of artists in this group. */
      group_id?: string;
      /** Only changes of the artist, release or track that has this identifier on the streaming platform. */
      entity_id?: string;
      /** Only changes that have this status in your account. */
      status?: "open" | "handled" | "expected";
      /** Only changes confirmed before this time. */
      until?: string;
    };
    result: ChangeCounts;
  };
  /** Export changes */
  exportChanges: {
    query?: {
      /** `csv`: RFC 4180 with a header line (the default). `ndjson`: one JSON object per line. */
      format?: "csv" | "ndjson";
      /** Only changes confirmed at this time or later. Default: the plan's whole history. */
      since?: string;
      /** The `next_cursor` from an earlier response to a request with `after`, or `now` to start after the newest change. Changes are listed in the order in which they become readable. You can combine `after` with any filters. */
      after?: string;
      /** The `id` of the last change that you received. The export continues with the next change. */
      continue_after?: string;
      /** Only changes of this type. Repeat the parameter for several types. */
      type?: string[];
      /** Only changes with this severity or a higher one. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** Only changes of artists in this group. */
      group_id?: string;
      /** Only changes of the artist, release or track that has this identifier on the streaming platform. */
      entity_id?: string;
      /** Only changes that have this status in your account. */
      status?: "open" | "handled" | "expected";
      /** Only changes confirmed before this time. */
      until?: string;
      /** Only changes with all of these words in the entity's name, the artist's name or the summary. Ignores case and accents. */
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
  /** Create a test change */
  createTestChange: {
    body?: CreateTestChange;
    result: CreatedTestChange;
  };
  /** Read changes as an Atom feed */
  readFeed: {
    query?: {
      /** Only changes of this type. Repeat the parameter for several types. */
      type?: string[];
      /** Only changes with this severity or a higher one. */
      severity?: "critical" | "warning" | "info";
      artist_id?: string;
      /** Only changes of artists in this group. */
      group_id?: string;
      /** Only changes of the artist, release or track that has this identifier on the streaming platform. */
      entity_id?: string;
      /** Only changes that have this status in your account. */
      status?: "open" | "handled" | "expected";
      /** Only changes confirmed before this time. */
      until?: string;
      /** Only changes with all of these words in the entity's name, the artist's name or the summary. Ignores case and accents. */
      q?: string;
      /** Includes test changes. Default: false. */
      include_test?: boolean;
      /** The `next_cursor` of the previous page. It is valid only for the same list and account. To get the next page, send only `cursor` (and `limit`). */
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
      /** Number of days to return, including today. */
      days?: number;
    };
    result: UsageDayList;
  };
  /** List API keys */
  listKeys: {
    query?: {
      /** The maximum number of items on the page. */
      limit?: number;
      /** The `next_cursor` of the previous page. It is valid only for the same list and account. To get the next page, send only `cursor` (and `limit`). */
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
      /** Only artists with this status. */
      status?: "pending" | "active" | "not_found" | "stale" | "merged";
      /** Only artists in this group. */
      group_id?: string;
      /** Words in the artist's name, in any case and order, or a complete `id` or `platform_id`. */
      q?: string;
      /** The maximum number of items on the page. Default: all items. */
      limit?: number;
      /** The `next_cursor` of the previous page. It is valid only for the same list and account. To get the next page, send only `cursor` (and `limit`). */
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
      /** An artist's name, or a part of it. */
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
      /** The maximum number of items on the page. */
      limit?: number;
      /** The `next_cursor` of the previous page. It is valid only for the same list and account. To get the next page, send only `cursor` (and `limit`). */
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
  /** Read an artist's daily numbers */
  readArtistMetrics: {
    path: {
      id: string;
    };
    query?: {
      /** The first day. Default: the whole history. */
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
      /** The maximum number of items on the page. */
      limit?: number;
      /** The `next_cursor` of the previous page. It is valid only for the same list and account. To get the next page, send only `cursor` (and `limit`). */
      cursor?: string;
    };
    result: ArtistReleaseList;
  };
  /** List groups */
  listGroups: {
    result: GroupList;
  };
  /** Create a group */
  createGroup: {
    body: CreateGroup;
    result: Group;
  };
  /** Rename a group, or add or remove artists */
  updateGroup: {
    path: {
      id: string;
    };
    body: UpdateGroup;
    result: Group;
  };
  /** Delete a group */
  deleteGroup: {
    path: {
      id: string;
    };
    result: undefined;
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
      /** Only deliveries to this destination. */
      destination?: string;
      /** Only deliveries in this state. */
      state?: "pending" | "succeeded" | "failed" | "skipped";
      /** Only deliveries of this change. */
      change?: string;
      /** Only deliveries created at this time or later. */
      since?: string;
      /** Only deliveries created before this time. */
      until?: string;
      /** Only deliveries with this trigger. */
      trigger?: "change" | "recover" | "test" | "resend";
      /** Only deliveries whose newest failed attempt has this error. */
      error?: "unexpected_status" | "redirected" | "timed_out" | "connection_reset" | "connection_closed" | "malformed_answer" | "headers_too_large" | "tls_failed" | "tls_refused" | "client_certificate_required" | "http2_required" | "certificate_expired" | "certificate_not_yet_valid" | "certificate_revoked" | "certificate_name_mismatch" | "certificate_self_signed" | "certificate_not_trusted" | "certificate_too_weak" | "certificate_chain_incomplete" | "address_revoked" | "channel_unavailable" | "posting_forbidden" | "message_refused" | "forbidden_address" | "forbidden_port" | "forbidden_destination" | "name_not_found" | "name_lookup_failed" | "connection_refused" | "connection_timed_out" | "connection_failed";
      /** Only deliveries whose newest failed attempt has a status in this class. `none` means that no status line arrived. */
      status_class?: "3xx" | "4xx" | "5xx" | "none";
      /** Only deliveries whose newest failed attempt has this `blame`. */
      blame?: "receiver" | "policy";
      /** The maximum number of items on the page. */
      limit?: number;
      /** The `next_cursor` of the previous page. It is valid only for the same list and account. To get the next page, send only `cursor` (and `limit`). */
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
  createTestChange: { method: 'POST', path: '/test-changes', keyed: true, text: false },
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
  listGroups: { method: 'GET', path: '/groups', keyed: false, text: false },
  createGroup: { method: 'POST', path: '/groups', keyed: true, text: false },
  updateGroup: { method: 'PATCH', path: '/groups/{id}', keyed: false, text: false },
  deleteGroup: { method: 'DELETE', path: '/groups/{id}', keyed: false, text: false },
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
