import { hookAnchorFunctions } from './hook-anchors.ts';

/**
 * The laws of a resource's counters, where no way of writing can miss them: a generation never repeats for a name, a
 * revision grows with every change, an identity never changes, and a row is never lost with its history.
 */
const guard = `CREATE FUNCTION agentstration.guard_resource() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  revived boolean;
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.revision := 1;
    NEW.generation := 1 + coalesce((
      SELECT max(g.generation) FROM agentstration.resource_generations g
      WHERE g.tenant_id = NEW.tenant_id AND g.workspace_id = NEW.workspace_id AND g.kind = NEW.kind
        AND g.namespace = NEW.namespace AND g.name = NEW.name), 0);
    RETURN NEW;
  END IF;
  IF (NEW.tenant_id, NEW.workspace_id, NEW.kind, NEW.namespace, NEW.name)
    IS DISTINCT FROM (OLD.tenant_id, OLD.workspace_id, OLD.kind, OLD.namespace, OLD.name) THEN
    RAISE EXCEPTION 'The identity of a resource never changes' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  revived := OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL;
  NEW.generation := OLD.generation + (revived OR NEW.definition::text <> OLD.definition::text)::integer;
  NEW.revision := OLD.revision + 1;
  IF revived THEN
    NEW.uid := gen_random_uuid();
    NEW.created_at := now();
  END IF;
  IF revived OR NEW.generation <> OLD.generation OR NEW.labels <> OLD.labels OR NEW.annotations::text <> OLD.annotations::text THEN
    NEW.updated_at := now();
  END IF;
  RETURN NEW;
END $body$`;

const record = `CREATE FUNCTION agentstration.record_resource() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' OR NEW.generation <> OLD.generation THEN
    INSERT INTO agentstration.resource_generations
      (tenant_id, workspace_id, kind, namespace, name, generation, uid, definition, changed_by, changed_at)
    VALUES (NEW.tenant_id, NEW.workspace_id, NEW.kind, NEW.namespace, NEW.name, NEW.generation, NEW.uid, NEW.definition,
      NEW.changed_by, NEW.updated_at);
  ELSIF OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL THEN
    UPDATE agentstration.resource_generations g SET deleted_by = NEW.changed_by, deleted_at = NEW.deleted_at
    WHERE g.tenant_id = NEW.tenant_id AND g.workspace_id = NEW.workspace_id AND g.kind = NEW.kind
      AND g.namespace = NEW.namespace AND g.name = NEW.name AND g.generation = NEW.generation;
  END IF;
  IF NEW.kind = 'ToolExecutionHook'
    AND (TG_OP = 'INSERT' OR NEW.generation <> OLD.generation OR (NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL)) THEN
    DELETE FROM agentstration.hook_anchors a
    WHERE a.tenant_id = NEW.tenant_id AND a.workspace_id = NEW.workspace_id AND a.namespace = NEW.namespace
      AND a.name = NEW.name AND a.name <> '';
    IF NEW.deleted_at IS NULL THEN
      INSERT INTO agentstration.hook_anchors (tenant_id, workspace_id, tool_id, provider_id, agent_id, namespace, name)
      SELECT NEW.tenant_id, NEW.workspace_id, place.tool_id, place.provider_id, place.agent_id, NEW.namespace, NEW.name
      FROM agentstration.hook_places(NEW.namespace, NEW.name, NEW.definition) place;
    END IF;
  END IF;
  RETURN NULL;
END $body$`;

const keep = `CREATE FUNCTION agentstration.keep_resource() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'A resource is marked as deleted (deleted_at), never removed: its generations must not repeat'
    USING ERRCODE = 'integrity_constraint_violation';
END $body$`;

/** ALWAYS: they fire for replicated and restored rows too. */
const trigger = (name: string, timing: string, body: string): string[] => [
  `CREATE TRIGGER ${name} ${timing} ON agentstration.resources ${body}`,
  `ALTER TABLE agentstration.resources ENABLE ALWAYS TRIGGER ${name}`,
];

export const resourceTriggers: readonly string[] = [
  ...hookAnchorFunctions,
  guard,
  record,
  keep,
  ...trigger('guard_resource', 'BEFORE INSERT OR UPDATE', 'FOR EACH ROW EXECUTE FUNCTION agentstration.guard_resource()'),
  ...trigger('record_resource', 'AFTER INSERT OR UPDATE', 'FOR EACH ROW EXECUTE FUNCTION agentstration.record_resource()'),
  ...trigger('keep_resource', 'BEFORE DELETE', 'FOR EACH ROW EXECUTE FUNCTION agentstration.keep_resource()'),
];
