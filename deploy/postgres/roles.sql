-- The login users of the services, for a database that belongs to the product alone. Run by an administrator, once, with
-- psql; passwords are read from files, see deploy/compose.yaml. Migrations grant the roles what each service needs. The
-- projector answers its readers as agentstration_reader, which sees one workspace at a time.

\set migration `cat /run/secrets/database-password-migration`
\set management_api `cat /run/secrets/database-password-management-api`
\set tool_executor `cat /run/secrets/database-password-tool-executor`
\set governance_projector `cat /run/secrets/database-password-governance-projector`

CREATE ROLE agentstration_api NOLOGIN;
CREATE ROLE agentstration_executor NOLOGIN;
CREATE ROLE agentstration_projector NOLOGIN;
CREATE ROLE agentstration_reader NOLOGIN;
GRANT agentstration_reader TO agentstration_projector;

CREATE ROLE migration LOGIN PASSWORD :'migration';
CREATE ROLE management_api LOGIN IN ROLE agentstration_api PASSWORD :'management_api';
CREATE ROLE tool_executor LOGIN IN ROLE agentstration_executor PASSWORD :'tool_executor';
CREATE ROLE governance_projector LOGIN IN ROLE agentstration_projector PASSWORD :'governance_projector';

ALTER DATABASE agentstration OWNER TO migration;
REVOKE ALL ON DATABASE agentstration FROM PUBLIC;
GRANT CONNECT ON DATABASE agentstration TO management_api, tool_executor, governance_projector;
