import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPLOYEE_8, EMPLOYEE_8_UPDATE } from '../../../local/samples/employee8.ts';
import { renderJson } from '../../../local/samples/render.ts';

test('the update of employee 8 is written as the description of the format writes it', () => {
  assert.equal(
    Buffer.from(renderJson(EMPLOYEE_8_UPDATE)).toString(),
    String.raw`{"specversion":"1.0","type":"com.microsoft.SQL.CES.DML.V1","source":"\/","id":"19221db1-a1b5-4ec7-8937-3fdf9d762abb","logicalid":"1bf2756a-c15f-4d2e-a2d5-7d3f9dbf85b0:000000B1000009300009:00000000000000000001","time":"2026-08-07T16:30:10.123Z","datacontenttype":"application\/json","operation":"UPD","segmentindex":0,"finalsegment":true,"data":"{\"eventsource\":{\"db\":\"EmployeesDb\",\"schema\":\"dbo\",\"tbl\":\"Employees\",\"cols\":[{\"name\":\"Id\",\"type\":\"int\",\"index\":0},{\"name\":\"FirstName\",\"type\":\"nvarchar(50)\",\"index\":1},{\"name\":\"LastName\",\"type\":\"nvarchar(50)\",\"index\":2},{\"name\":\"SignupDate\",\"type\":\"datetime2(7)\",\"index\":3}],\"pkkey\":[{\"columnname\":\"Id\",\"value\":\"8\"}],\"transaction\":{\"commitlsn\":\"000000B1:00000930:0009\",\"beginlsn\":\"000000B1:00000930:0002\",\"sequencenumber\":1,\"finalevent\":false,\"committime\":\"2026-08-07T16:30:10.123Z\"}},\"eventrow\":{\"old\":\"{\\\"Id\\\":\\\"8\\\",\\\"FirstName\\\":\\\"Nikola\\\",\\\"LastName\\\":\\\"Nikolic\\\",\\\"SignupDate\\\":\\\"2026-08-07 16:25:00.8833333\\\"}\",\"current\":\"{\\\"Id\\\":\\\"8\\\",\\\"FirstName\\\":\\\"Nikola\\\",\\\"LastName\\\":\\\"Nikolic-Smith\\\",\\\"SignupDate\\\":\\\"2026-08-07 16:25:00.8833333\\\"}\"}}"}`,
  );
});

test('the life of employee 8 is an insert, an update and a delete, in the order of the log', () => {
  assert.deepEqual(
    EMPLOYEE_8.map(({ operation, commitLsn }) => [operation, commitLsn]),
    [
      ['INS', '000000B1:000008A8:0007'],
      ['UPD', '000000B1:00000930:0009'],
      ['DEL', '000000B1:00000970:0008'],
    ],
  );
});
