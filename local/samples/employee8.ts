import type { SampleEvent, SampleTable } from './sampleEvent.ts';

const EMPLOYEES: SampleTable = {
  db: 'EmployeesDb',
  schema: 'dbo',
  tbl: 'Employees',
  columns: [
    { name: 'Id', type: 'int' },
    { name: 'FirstName', type: 'nvarchar(50)' },
    { name: 'LastName', type: 'nvarchar(50)' },
    { name: 'SignupDate', type: 'datetime2(7)' },
  ],
  key: ['Id'],
  logicalPrefix: '1bf2756a-c15f-4d2e-a2d5-7d3f9dbf85b0',
};

const HIRED = { Id: 8, FirstName: 'Nikola', LastName: 'Nikolic', SignupDate: '2026-08-07T16:25:00.8833333' };
const MARRIED = { ...HIRED, LastName: 'Nikolic-Smith' };

const COMMON = {
  table: EMPLOYEES,
  sentColumns: EMPLOYEES.columns.map(({ name }) => name),
  keys: { Id: 8 },
  sequenceNumber: 1,
};

/** The life of employee 8, as in Microsoft's description of the message format: hired, renamed, gone. */
export const EMPLOYEE_8_INSERT: SampleEvent = {
  ...COMMON,
  id: '56cb8ff3-5c55-4f3b-a7f7-b044d1933ef6',
  time: '2026-08-07T16:25:00.890Z',
  operation: 'INS',
  commitLsn: '000000B1:000008A8:0007',
  beginLsn: '000000B1:000008A8:0003',
  old: null,
  current: HIRED,
};

export const EMPLOYEE_8_UPDATE: SampleEvent = {
  ...COMMON,
  id: '19221db1-a1b5-4ec7-8937-3fdf9d762abb',
  time: '2026-08-07T16:30:10.123Z',
  operation: 'UPD',
  commitLsn: '000000B1:00000930:0009',
  beginLsn: '000000B1:00000930:0002',
  old: HIRED,
  current: MARRIED,
};

export const EMPLOYEE_8_DELETE: SampleEvent = {
  ...COMMON,
  id: '520f9a65-43d7-47f2-94f5-7ea14df635ed',
  time: '2026-08-07T16:35:42.450Z',
  operation: 'DEL',
  commitLsn: '000000B1:00000970:0008',
  beginLsn: '000000B1:00000970:0003',
  old: MARRIED,
  current: null,
};

export const EMPLOYEE_8: readonly SampleEvent[] = [EMPLOYEE_8_INSERT, EMPLOYEE_8_UPDATE, EMPLOYEE_8_DELETE];
