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
const isSelectorList = `CREATE FUNCTION agentstration.is_selector_list(list jsonb) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $body$
BEGIN
  IF list IS NULL THEN RETURN true; END IF;
  IF jsonb_typeof(list) <> 'array' OR jsonb_array_length(list) > 256 THEN RETURN false; END IF;
  FOR position IN 0 .. jsonb_array_length(list) - 1 LOOP
    IF NOT agentstration.is_text(list -> position, 256) THEN RETURN false; END IF;
  END LOOP;
  RETURN jsonb_array_length(list) < 2
    OR jsonb_array_length(list) = (SELECT count(DISTINCT entry) FROM jsonb_array_elements(list) entry);
END $body$`;

const isUnderstood = String.raw`CREATE FUNCTION agentstration.is_understood_hook(d jsonb) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $body$
DECLARE
  selector jsonb := d -> 'selector';
  configuration jsonb := d -> 'configuration';
BEGIN
  IF jsonb_typeof(d) <> 'object' OR d - ARRAY['displayName', 'enabled', 'order', 'handler', 'selector', 'configuration'] <> '{}'
    OR NOT agentstration.is_text(d -> 'displayName', 256)
    OR coalesce(jsonb_typeof(d -> 'enabled'), 'boolean') <> 'boolean' THEN
    RETURN false;
  END IF;
  IF d ? 'order' THEN
    IF jsonb_typeof(d -> 'order') <> 'number' THEN RETURN false; END IF;
    IF (d ->> 'order')::numeric NOT BETWEEN -10000 AND 10000 OR (d ->> 'order')::numeric % 1 <> 0 THEN RETURN false; END IF;
  END IF;
  IF selector IS NOT NULL THEN
    IF jsonb_typeof(selector) <> 'object' THEN RETURN false; END IF;
    IF selector - ARRAY['tools', 'providers', 'agents'] <> '{}' OR NOT agentstration.is_selector_list(selector -> 'tools')
      OR NOT agentstration.is_selector_list(selector -> 'providers') OR NOT agentstration.is_selector_list(selector -> 'agents') THEN
      RETURN false;
    END IF;
  END IF;
  IF coalesce(d -> 'handler' <> '"deny"', true) OR coalesce(jsonb_typeof(configuration) <> 'object', true) THEN RETURN false; END IF;
  RETURN configuration - ARRAY['code', 'message'] = '{}'
    AND coalesce(jsonb_typeof(configuration -> 'code') = 'string', false)
    AND configuration ->> 'code' ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
    AND agentstration.is_text(configuration -> 'message', 2048);
END $body$`;

/**
 * The names of a list, or '' for any. Ids are ASCII: a name that is not can match none, and is left out; a list of such
 * names alone leaves no place at all.
 */
const selectorNames = `CREATE FUNCTION agentstration.selector_names(list jsonb) RETURNS text[] IMMUTABLE LANGUAGE plpgsql AS $body$
DECLARE
  names text[] := '{}';
  name text;
BEGIN
  IF coalesce(jsonb_array_length(list), 0) = 0 THEN RETURN ARRAY['']; END IF;
  FOR position IN 0 .. jsonb_array_length(list) - 1 LOOP
    name := list ->> position;
    IF octet_length(name) = char_length(name) THEN names := names || name; END IF;
  END LOOP;
  RETURN names;
END $body$`;

/** Every combination of the three lists, unless they are more than a thousand: then the longest list counts as any. */
const places = `CREATE FUNCTION agentstration.hook_places(namespace text, name text, definition json)
RETURNS TABLE (tool_id text, provider_id text, agent_id text) IMMUTABLE LANGUAGE plpgsql AS $body$
DECLARE
  d jsonb;
  tools text[] := ARRAY[''];
  providers text[] := ARRAY[''];
  agents text[] := ARRAY[''];
  understood boolean := false;
BEGIN
  BEGIN
    d := definition::jsonb;
    understood := agentstration.is_understood_hook(d) AND namespace ~ '^[a-z0-9][a-z0-9.-]{0,127}$'
      AND name ~ '^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$';
  EXCEPTION WHEN OTHERS THEN
    understood := false;
  END;
  IF understood THEN
    IF d -> 'enabled' = 'false' THEN RETURN; END IF;
    tools := agentstration.selector_names(d -> 'selector' -> 'tools');
    providers := agentstration.selector_names(d -> 'selector' -> 'providers');
    agents := agentstration.selector_names(d -> 'selector' -> 'agents');
  END IF;
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
