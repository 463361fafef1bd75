-- Runs last: gives the transaction its settings back.

SELECT set_config('client_min_messages', current_setting('snoflax.client_min_messages', true), true),
  set_config('search_path', current_setting('snoflax.search_path', true), true);
