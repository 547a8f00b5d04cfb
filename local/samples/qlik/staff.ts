import type { Columns } from '../../../shared/change/json.ts';
import { SeededRandom } from '../random.ts';
import type { QlikEvent, QlikTable } from './qlikEvent.ts';

/** A table of the sample task as it is first, and after a column has been added in its middle. */
export const EMPLOYEE: QlikTable = {
  schema: 'hr',
  table: 'employee',
  tableVersion: 1,
  schemaId: '3D1F0C7A9E5B48268A7C1D2E3F405162',
  columns: [
    { name: 'emp_no', type: 'INT4', keyPosition: 1 },
    { name: 'first_name', type: 'STRING' },
    { name: 'last_name', type: 'STRING' },
    { name: 'birth_date', type: 'DATE' },
    { name: 'hired_at', type: 'DATETIME' },
    { name: 'salary', type: 'NUMERIC', precision: 10, scale: 2 },
    { name: 'rating', type: 'REAL8' },
    { name: 'active', type: 'BOOLEAN' },
    { name: 'badge', type: 'BYTES' },
    { name: 'visits', type: 'INT8' },
  ],
};

export const EMPLOYEE_WITH_EMAIL: QlikTable = {
  ...EMPLOYEE,
  tableVersion: 2,
  schemaId: '4E2A1D8BAF6C59379B8D2E3F40516273',
  columns: EMPLOYEE.columns.toSpliced(3, 0, { name: 'email', type: 'STRING' }),
};

const FIRST_NAMES = ['Ada', 'Björn', 'Chiara', 'Dmitri', 'Élodie', 'Fatima'] as const;
const LAST_NAMES = ['Lindqvist', 'Moreau', 'Okafor', 'Petrović', 'Quiroga', 'Rossi'] as const;
const START_MS = Date.UTC(2024, 4, 1, 10, 20, 30);
const ROWS_LOADED = 20;

/** A full load of the staff, then changes of it; half way through, the table gets a column. */
export function* staffEvents(seed: number, changes: number): Generator<QlikEvent> {
  const random = new SeededRandom(seed);
  const staff = new Map<number, Columns>();
  for (let emp_no = 1; emp_no <= ROWS_LOADED; emp_no++) {
    staff.set(emp_no, newEmployee(emp_no, random));
    yield { table: EMPLOYEE, operation: 'REFRESH', data: staff.get(emp_no) ?? null, beforeData: null };
  }
  for (let at = 1; at <= changes; at++) {
    const table = at * 2 > changes ? EMPLOYEE_WITH_EMAIL : EMPLOYEE;
    yield { ...changeOf(table, staff, random), ...placeOf(at) };
  }
}

function changeOf(table: QlikTable, staff: Map<number, Columns>, random: SeededRandom) {
  const hired = [...staff.keys()];
  const emp_no = hired[random.integer(0, hired.length - 1)];
  const before = emp_no === undefined ? undefined : staff.get(emp_no);
  if (emp_no === undefined || before === undefined || random.oneIn(4)) {
    const next = Math.max(0, ...hired) + 1;
    const data = withEmail(newEmployee(next, random), table);
    staff.set(next, data);
    return { table, operation: 'INSERT' as const, data, beforeData: null };
  }
  const beforeData = withEmail(before, table);
  if (random.oneIn(8)) {
    staff.delete(emp_no);
    return { table, operation: 'DELETE' as const, data: beforeData, beforeData: null };
  }
  const data = withEmail({ ...before, salary: salaryOf(random), visits: random.integer(0, 1_000_000) }, table);
  staff.set(emp_no, data);
  return { table, operation: 'UPDATE' as const, data, beforeData };
}

function newEmployee(emp_no: number, random: SeededRandom): Columns {
  return {
    emp_no,
    first_name: random.pick(FIRST_NAMES),
    last_name: random.pick(LAST_NAMES),
    birth_date: `19${random.integer(60, 99)}-0${random.integer(1, 9)}-${random.integer(10, 28)}`,
    hired_at: `20${random.integer(10, 24)}-11-${random.integer(10, 28)}T08:${random.integer(10, 59)}:00.000000`,
    salary: salaryOf(random),
    rating: random.integer(0, 40) / 8,
    active: !random.oneIn(5),
    badge: random.guid().replaceAll('-', '').toUpperCase(),
    visits: random.integer(0, 1_000_000),
  };
}

function withEmail(row: Columns, { columns }: QlikTable): Columns {
  if (!columns.some(({ name }) => name === 'email') || Object.hasOwn(row, 'email')) return row;
  return { ...row, email: `employee${row.emp_no}@example.com` };
}

function salaryOf(random: SeededRandom): string {
  return `${random.integer(30_000, 90_000)}.${random.integer(10, 99)}`;
}

function placeOf(at: number) {
  const time = new Date(START_MS + at * 10).toISOString();
  const digits = time.replaceAll(/\D/g, '').slice(0, 16);
  return {
    changeSequence: digits + String(at).padStart(19, '0'),
    timestamp: time.slice(0, -1),
    transactionId: String(at).padStart(32, '0'),
    transactionEventCounter: 1,
    transactionLastEvent: true,
  };
}
