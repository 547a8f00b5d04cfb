/* Switches change event streaming on for some tables of the current database.
   Replace NAMESPACE, and the tables at the end. Needs db_owner or CONTROL on the database.
   Run it once; the parts that exist already raise an error of their own and change nothing. */

/* SQL Server 2025 only: the feature is a preview there. Azure SQL needs neither of these two.
ALTER DATABASE CURRENT SET RECOVERY FULL;
ALTER DATABASE SCOPED CONFIGURATION SET PREVIEW_FEATURES = ON;
*/

/* Protects the credential. It needs no password in Azure SQL; elsewhere add ENCRYPTION BY PASSWORD = '...'. */
IF NOT EXISTS (SELECT 1 FROM sys.symmetric_keys WHERE name = N'##MS_DatabaseMasterKey##')
    CREATE MASTER KEY;
GO

/* The server's own identity: no key, nothing that expires. */
IF NOT EXISTS (SELECT 1 FROM sys.database_scoped_credentials WHERE name = N'TributaryHub')
    CREATE DATABASE SCOPED CREDENTIAL TributaryHub WITH IDENTITY = N'Managed Identity';
GO

EXEC sys.sp_enable_event_stream;
GO

/* On SQL Server 2025 and Managed Instance the destination type is AzureEventHubsApacheKafka. */
EXEC sys.sp_create_event_stream_group
    @stream_group_name = N'Tributary',
    @destination_type = N'AzureEventHubs',
    @destination_location = N'NAMESPACE.servicebus.windows.net:9093/ces',
    @destination_credential = N'TributaryHub',
    @max_message_size_kb = 256,
    @partition_key_scheme = N'Table',
    @encoding = N'JSON';
GO

/* Texts and images over 64 KB: a write of more would fail on a streamed table. SQL Server and Managed Instance.
EXEC sys.sp_configure N'max text repl size', -1;
RECONFIGURE;
*/

/* Once for each table. */
EXEC sys.sp_add_object_to_event_stream_group
    @stream_group_name = N'Tributary',
    @object_name = N'dbo.Employees',
    @include_all_columns = 1,
    @include_old_values = 1,
    @include_old_lob_values = 0;
GO

/* What is on, and what went wrong. */
SELECT name, is_event_stream_enabled FROM sys.databases WHERE name = DB_NAME();
EXEC sys.sp_help_change_feed_table_groups;
EXEC sys.sp_help_change_feed_table @source_schema = N'dbo', @source_name = N'Employees';
SELECT * FROM sys.dm_change_feed_errors;
GO
