-- What Redshift has in pg_catalog and PostgreSQL lacks, or has in another form. The proxy leads questions for these names here.
CREATE SCHEMA redshift_catalog;
GRANT USAGE ON SCHEMA redshift_catalog TO PUBLIC;

-- Filled by tests: what lies outside of the cluster, and what PostgreSQL has no word for.
CREATE TABLE redshift_catalog.external_schemas (schemaname text);
CREATE TABLE redshift_catalog.external_objects (schemaname text, tablename text, columnname text);
CREATE TABLE redshift_catalog.late_binding_columns (view_schema text, view_name text, col_name text, col_type text, col_num int);
CREATE TABLE redshift_catalog.materialized_views (schema_name text, view_name text);
CREATE TABLE redshift_catalog.shared_databases (database_name text);

CREATE VIEW redshift_catalog.svv_external_schemas AS
  SELECT n.oid::int AS esoid, 1::smallint AS eskind, n.nspname AS schemaname, n.nspowner::int AS esowner, 'outside'::text AS databasename
  FROM pg_namespace n JOIN redshift_catalog.external_schemas e ON e.schemaname = n.nspname;
CREATE VIEW redshift_catalog.svv_external_tables AS
  SELECT DISTINCT schemaname::varchar(128), tablename::varchar(128), 'TABLE'::text AS tabletype FROM redshift_catalog.external_objects;
CREATE VIEW redshift_catalog.svv_external_columns AS
  SELECT schemaname::varchar(128), tablename::varchar(128), columnname::varchar(128) FROM redshift_catalog.external_objects;
CREATE VIEW redshift_catalog.svv_redshift_databases AS
  SELECT datname::varchar(128) AS database_name, datdba::int AS database_owner, 'local'::varchar(32) AS database_type
  FROM pg_database WHERE NOT datistemplate
  UNION ALL SELECT database_name, 100, 'shared' FROM redshift_catalog.shared_databases;

-- Comments on databases lie with all others.
CREATE VIEW redshift_catalog.pg_description AS
  SELECT objoid, classoid, objsubid, description FROM pg_catalog.pg_description
  UNION ALL SELECT objoid, classoid, 0, description FROM pg_catalog.pg_shdescription;

CREATE FUNCTION redshift_catalog.pg_get_late_binding_view_cols() RETURNS SETOF record LANGUAGE sql AS $$
  SELECT view_schema::name, view_name::name, col_name::varchar, col_type::varchar, col_num
  FROM redshift_catalog.late_binding_columns $$;
-- A materialized view is a view whose definition begins otherwise.
CREATE FUNCTION redshift_catalog.pg_get_viewdef(oid) RETURNS text LANGUAGE sql AS $$
  SELECT CASE WHEN m.view_name IS NULL THEN '' ELSE 'CREATE MATERIALIZED VIEW "x" AS ' END || pg_catalog.pg_get_viewdef(c.oid)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN redshift_catalog.materialized_views m ON m.schema_name = n.nspname AND m.view_name = c.relname
  WHERE c.oid = $1 $$;
CREATE FUNCTION redshift_catalog.version() RETURNS text LANGUAGE sql AS $$
  SELECT 'PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.115467'::text $$;

GRANT SELECT ON ALL TABLES IN SCHEMA redshift_catalog TO PUBLIC;
