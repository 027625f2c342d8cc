-- The rows of a session, one stream, and a view for each main kind for questions in SQL.

CREATE TABLE records (seq INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);

CREATE VIEW frames AS
    SELECT seq, at_ns, json_extract(body, '$.t_ns') AS t_ns, json_extract(body, '$.monitor') AS monitor,
    json_extract(body, '$.size') AS size, json_extract(body, '$.digest') AS digest, json_extract(body, '$.changed')
    AS changed, json_extract(body, '$.own') AS own, json_extract(body, '$.covered') AS covered, json_extract(body,
    '$.image_ref') AS image_ref
    FROM records WHERE records.kind = 'frame';

CREATE VIEW inputs AS
    SELECT seq, at_ns, json_extract(body, '$.t_ns') AS t_ns, json_extract(body, '$.kind') AS kind,
    json_extract(body, '$.key_class') AS key_class, json_extract(body, '$.button') AS button, json_extract(body,
    '$.x') AS x, json_extract(body, '$.y') AS y, json_extract(body, '$.dx') AS dx, json_extract(body, '$.dy') AS dy,
    json_extract(body, '$.path') AS path, json_extract(body, '$.count') AS count, json_extract(body, '$.own') AS own
    FROM records WHERE records.kind = 'input_event';

CREATE VIEW focus AS
    SELECT seq, at_ns, json_extract(body, '$.t_ns') AS t_ns, json_extract(body, '$.app') AS app, json_extract(body,
    '$.window') AS window, json_extract(body, '$.title_digest') AS title_digest, json_extract(body, '$.title') AS
    title, json_extract(body, '$.dialog') AS dialog, json_extract(body, '$.own') AS own, json_extract(body,
    '$.geometry') AS geometry
    FROM records WHERE records.kind = 'focus';

CREATE VIEW windows AS
    SELECT seq, at_ns, json_extract(body, '$.window_id') AS window_id, json_extract(body, '$.start_ns') AS start_ns,
    json_extract(body, '$.end_ns') AS end_ns, json_extract(body, '$.planned_ns') AS planned_ns, json_extract(body,
    '$.events') AS events, json_extract(body, '$.closed_by') AS closed_by, json_extract(body, '$.app') AS app,
    json_extract(body, '$.frames') AS frames
    FROM records WHERE records.kind = 'window';

CREATE VIEW prefixes AS
    SELECT seq, at_ns, json_extract(body, '$.prefix_id') AS prefix_id, json_extract(body, '$.window_id') AS
    window_id, json_extract(body, '$.fraction') AS fraction, json_extract(body, '$.start_ns') AS start_ns,
    json_extract(body, '$.end_ns') AS end_ns, json_extract(body, '$.truncated') AS truncated, json_extract(body,
    '$.app') AS app, json_extract(body, '$.features') AS features, json_extract(body, '$.slots') AS slots
    FROM records WHERE records.kind = 'prefix';

CREATE VIEW estimates AS
    SELECT seq, at_ns, json_extract(body, '$.prefix_id') AS prefix_id, json_extract(body, '$.window_id') AS
    window_id, json_extract(body, '$.fraction') AS fraction, json_extract(body, '$.detector') AS detector,
    json_extract(body, '$.help_need') AS help_need, json_extract(body, '$.abstained') AS abstained,
    json_extract(body, '$.error') AS error, json_extract(body, '$.app') AS app, json_extract(body, '$.state_probs')
    AS state_probs, json_extract(body, '$.evidence') AS evidence, json_extract(body, '$.confidence_source') AS
    confidence_source
    FROM records WHERE records.kind = 'estimate';

CREATE VIEW decisions AS
    SELECT seq, at_ns, json_extract(body, '$.verdict') AS verdict, json_extract(body, '$.gate') AS gate,
    json_extract(body, '$.reason') AS reason, json_extract(body, '$.topic') AS topic, json_extract(body,
    '$.withdraw') AS withdraw, json_extract(body, '$.propensity') AS propensity, json_extract(body,
    '$.next_tick_ns') AS next_tick_ns, json_extract(body, '$.numbers') AS numbers, json_extract(body,
    '$.prefix_ids') AS prefix_ids
    FROM records WHERE records.kind = 'decision';

CREATE VIEW offers AS
    SELECT seq, at_ns, json_extract(body, '$.offer_id') AS offer_id, json_extract(body, '$.decision_seq') AS
    decision_seq, json_extract(body, '$.app') AS app, json_extract(body, '$.topic') AS topic, json_extract(body,
    '$.state') AS state, json_extract(body, '$.help_need') AS help_need, json_extract(body, '$.shown_at_ns') AS
    shown_at_ns, json_extract(body, '$.expires_at_ns') AS expires_at_ns, json_extract(body, '$.counterfactual') AS
    counterfactual
    FROM records WHERE records.kind = 'offer';

CREATE VIEW feedback AS
    SELECT seq, at_ns, json_extract(body, '$.offer_id') AS offer_id, json_extract(body, '$.kind') AS kind,
    json_extract(body, '$.by') AS by
    FROM records WHERE records.kind = 'feedback';
