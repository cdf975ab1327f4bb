/**
 * The functions that place a hook where its attempts look for it. They know the rules of a hook's definition as
 * `validateHookDefinition` does, and vouch only for what they understand fully: every other row, a hand-made one or one of a
 * handler that this schema does not know, is placed where every attempt of the Workspace finds it, and the executor's
 * own validation judges it. A mistake here can make a resolution slower, never blind.
 */

/** Whatever ECMAScript takes for white space. */
const whiteSpace = String.raw`E' \t\n\u000b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'`;

const isText = `CREATE FUNCTION agentstration.is_text(value jsonb, maximum integer) RETURNS boolean IMMUTABLE LANGUAGE sql AS $body$
  SELECT coalesce(jsonb_typeof(value) = 'string' AND char_length(value #>> '{}') BETWEEN 1 AND maximum
    AND translate(value #>> '{}', ${whiteSpace}, '') <> '', false)
$body$`;

/** Absent, or a list of at most 256 different texts. */
const isSelectorList = `CREATE FUNCTION agentstration.is_selector_list(list jsonb) RETURNS boolean IMMUTABLE LANGUAGE sql AS $body$
  SELECT list IS NULL OR CASE WHEN jsonb_typeof(list) = 'array' THEN jsonb_array_length(list) <= 256 AND (
    SELECT count(*) = count(DISTINCT entry) AND coalesce(bool_and(agentstration.is_text(entry, 256)), true)
    FROM jsonb_array_elements(list) entry) ELSE false END
$body$`;

const isUnderstood = String.raw`CREATE FUNCTION agentstration.is_understood_hook(d jsonb) RETURNS boolean IMMUTABLE LANGUAGE sql AS $body$
  SELECT coalesce(
    jsonb_typeof(d) = 'object'
    AND d - ARRAY['displayName', 'enabled', 'order', 'handler', 'selector', 'configuration'] = '{}'
    AND agentstration.is_text(d -> 'displayName', 256)
    AND coalesce(jsonb_typeof(d -> 'enabled'), 'boolean') = 'boolean'
    AND CASE WHEN d ? 'order' THEN jsonb_typeof(d -> 'order') = 'number'
      AND (d ->> 'order')::numeric BETWEEN -10000 AND 10000 AND (d ->> 'order')::numeric % 1 = 0 ELSE true END
    AND CASE WHEN d ? 'selector' THEN jsonb_typeof(d -> 'selector') = 'object'
      AND (d -> 'selector') - ARRAY['tools', 'providers', 'agents'] = '{}'
      AND agentstration.is_selector_list(d -> 'selector' -> 'tools')
      AND agentstration.is_selector_list(d -> 'selector' -> 'providers')
      AND agentstration.is_selector_list(d -> 'selector' -> 'agents') ELSE true END
    AND d -> 'handler' = '"deny"'
    AND jsonb_typeof(d -> 'configuration') = 'object'
    AND (d -> 'configuration') - ARRAY['code', 'message'] = '{}'
    AND jsonb_typeof(d -> 'configuration' -> 'code') = 'string'
    AND d -> 'configuration' ->> 'code' ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
    AND agentstration.is_text(d -> 'configuration' -> 'message', 2048), false)
$body$`;

/**
 * The names of a list, or '' for any. Ids are ASCII: a name that is not can match none, and is left out; a list of such
 * names alone leaves no place at all.
 */
const selectorNames = `CREATE FUNCTION agentstration.selector_names(list jsonb) RETURNS text[] IMMUTABLE LANGUAGE sql AS $body$
  SELECT CASE WHEN coalesce(jsonb_array_length(list), 0) = 0 THEN ARRAY['']
    ELSE ARRAY(SELECT entry FROM jsonb_array_elements_text(list) entry WHERE octet_length(entry) = char_length(entry)) END
$body$`;

/** Every combination of the three lists, unless they are more than a thousand: then the longest list counts as any. */
const places = `CREATE FUNCTION agentstration.hook_places(namespace text, name text, definition json)
RETURNS TABLE (tool_id text, provider_id text, agent_id text) IMMUTABLE LANGUAGE plpgsql AS $body$
#variable_conflict use_column
DECLARE
  d jsonb;
  tools text[];
  providers text[];
  agents text[];
BEGIN
  BEGIN
    d := definition::jsonb;
    IF NOT agentstration.is_understood_hook(d) OR namespace !~ '^[a-z0-9][a-z0-9.-]{0,127}$'
      OR name !~ '^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$' THEN
      RETURN QUERY SELECT '', '', '';
      RETURN;
    END IF;
  EXCEPTION WHEN OTHERS THEN
    RETURN QUERY SELECT '', '', '';
    RETURN;
  END;
  IF d -> 'enabled' = 'false' THEN RETURN; END IF;
  tools := agentstration.selector_names(d -> 'selector' -> 'tools');
  providers := agentstration.selector_names(d -> 'selector' -> 'providers');
  agents := agentstration.selector_names(d -> 'selector' -> 'agents');
  WHILE cardinality(tools) * cardinality(providers) * cardinality(agents) > 1024 LOOP
    CASE greatest(cardinality(tools), cardinality(providers), cardinality(agents))
      WHEN cardinality(agents) THEN agents := ARRAY[''];
      WHEN cardinality(providers) THEN providers := ARRAY[''];
      ELSE tools := ARRAY[''];
    END CASE;
  END LOOP;
  RETURN QUERY SELECT t, p, a FROM unnest(tools) t, unnest(providers) p, unnest(agents) a;
END $body$`;

export const hookAnchorFunctions: readonly string[] = [isText, isSelectorList, isUnderstood, selectorNames, places];
