import type { SampleTable } from './sampleEvent.ts';

const DATABASE = { db: 'ShopDb', schema: 'sales' };

export const CUSTOMERS: SampleTable = {
  ...DATABASE,
  tbl: 'Customers',
  columns: [
    { name: 'CustomerId', type: 'int' },
    { name: 'Name', type: 'nvarchar(100)' },
    { name: 'Email', type: 'varchar(200)' },
    { name: 'IsActive', type: 'bit' },
    { name: 'Discount', type: 'real' },
    { name: 'CreatedAt', type: 'datetime2(7)' },
    { name: 'Birthday', type: 'date' },
  ],
  key: ['CustomerId'],
  logicalPrefix: '0d6a2f60-6d0f-4c5a-9b1e-3f0f6f0b7a01',
};

/** Streamed with changed columns only, and with a large column, which `old` then leaves out. */
export const PRODUCTS: SampleTable = {
  ...DATABASE,
  tbl: 'Products',
  columns: [
    { name: 'Sku', type: 'nvarchar(20)' },
    { name: 'Title', type: 'nvarchar(200)' },
    { name: 'Price', type: 'decimal(18,4)' },
    { name: 'Weight', type: 'float' },
    { name: 'Stock', type: 'smallint' },
    { name: 'Description', type: 'nvarchar(max)' },
  ],
  key: ['Sku'],
  logicalPrefix: '5b8de6a9-1c55-45ce-8f0e-50a41c1d7a02',
};

export const ORDERS: SampleTable = {
  ...DATABASE,
  tbl: 'Orders',
  columns: [
    { name: 'OrderId', type: 'bigint' },
    { name: 'CustomerId', type: 'int' },
    { name: 'Reference', type: 'uniqueidentifier' },
    { name: 'Total', type: 'money' },
    { name: 'Status', type: 'tinyint' },
    { name: 'PlacedAt', type: 'datetimeoffset(7)' },
    { name: 'DeliverBy', type: 'time(0)' },
    { name: 'Note', type: 'nvarchar(400)' },
  ],
  key: ['OrderId'],
  logicalPrefix: '91c3d0b2-77f4-4e3b-a6c5-0be9a2c47a03',
};

export const ORDER_LINES: SampleTable = {
  ...DATABASE,
  tbl: 'OrderLines',
  columns: [
    { name: 'OrderId', type: 'bigint' },
    { name: 'LineNo', type: 'int' },
    { name: 'Sku', type: 'nvarchar(20)' },
    { name: 'Quantity', type: 'int' },
    { name: 'UnitPrice', type: 'decimal(18,4)' },
  ],
  key: ['OrderId', 'LineNo'],
  logicalPrefix: 'c7f1ab34-2e08-49d6-8f6d-6d2d5ae37a04',
};
