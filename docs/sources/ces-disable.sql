/* Switches off what ces-enable.sql has switched on. Changes made from now on are in no event. */

EXEC sys.sp_remove_object_from_event_stream_group
    @stream_group_name = N'Tributary',
    @object_name = N'dbo.Employees';
GO

EXEC sys.sp_drop_event_stream_group @stream_group_name = N'Tributary';
GO

EXEC sys.sp_disable_event_stream;
GO

DROP DATABASE SCOPED CREDENTIAL TributaryHub;
GO
