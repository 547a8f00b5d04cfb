import type { Container } from '@azure/cosmos';
import type { NormalizedChange } from '../change/change.ts';
import { changeId } from '../change/keys.ts';
import { type HoldsPointers, listed, revived } from '../change/largeValue.ts';
import { StoreUnavailableError } from './errors.ts';
import { withReadableValues } from './largeValues.ts';
import type { OperationResult } from './operation.ts';
import type { Operations } from './operations.ts';
import type { Transactions } from './transactions.ts';
import type { ValueStore } from './valueStore.ts';

/** A document of the container `changes`. */
export type ChangeDocument = Omit<NormalizedChange, 'identity'> &
  HoldsPointers & { readonly id: string; readonly ingestedAt: string };

/** Of a change that moved a row to a key. */
export type MoveInto = Pick<NormalizedChange, 'token' | 'displaced'>;

/** What became of a change that was to be recorded. */
export type Recorded = 'created' | 'known' | { readonly rejected: number };

const CREATED = 201;
const EXISTS = 409;

/** The container `changes`: every change, and with it the memory of what was already applied. */
export class ChangeStore {
  readonly #container: Container;
  readonly #operations: Operations;
  readonly #transactions: Transactions;
  readonly #values: ValueStore;
  readonly #ttlSeconds: number;

  constructor(
    container: Container,
    operations: Operations,
    transactions: Transactions,
    values: ValueStore,
    ttlSeconds: number,
  ) {
    this.#container = container;
    this.#operations = operations;
    this.#transactions = transactions;
    this.#values = values;
    this.#ttlSeconds = ttlSeconds;
  }

  /** Records `changes`; a change recorded before is `known` and stays as it was. Throws StoreUnavailableError. */
  async record(changes: readonly NormalizedChange[]): Promise<Recorded[]> {
    return (await this.#operations.run(this.#creates(changes, new Date().toISOString()))).map(toRecorded);
  }

  /**
   * Records a beginning of each of `rows`, which are changes of one row each, none of them twice. One change of a row is in
   * before the next one is, and whatever a crash leaves is a beginning too. Results stand for the beginning: at least one,
   * and all but its last are `created`; of those after it nothing is told. Throws StoreUnavailableError.
   */
  async recordBeginnings(rows: readonly (readonly NormalizedChange[])[]): Promise<Recorded[][]> {
    const ingestedAt = new Date().toISOString();
    const results = await this.#transactions.createBeginnings(
      rows.map((changes) => this.#creates(changes, ingestedAt)),
    );
    return results.map((each) => each.map(toRecorded));
  }

  /**
   * Each change as it was first recorded under its table and key; large values that are gone stay pointers. Throws
   * StoreUnavailableError.
   */
  async recorded(
    changes: readonly Pick<NormalizedChange, 'table' | 'key' | 'identity'>[],
  ): Promise<(ChangeDocument | undefined)[]> {
    const operations = changes.map(({ table, key, identity }) => {
      return { type: 'Read' as const, partitionKey: [table, key], id: changeId(identity) };
    });
    const results = await this.#operations.run(operations);
    // A change holds two images and may be too large for a document where its row is not: what counts is the texts.
    return Promise.all(
      results.map(({ status, document }, index) =>
        status < 300 ? withReadableValues(document as ChangeDocument, this.#values, changes[index]) : undefined,
      ),
    );
  }

  /**
   * The changes of the same transaction as `change` that moved a row to the key `key` of its table, oldest first. Without
   * transaction ids, changes that were committed at one time count as one transaction. Large values stay pointers. Throws
   * StoreUnavailableError.
   */
  async movesInto(
    key: string,
    change: Pick<NormalizedChange, 'table' | 'transaction' | 'committedAt'>,
  ): Promise<readonly MoveInto[]> {
    const { table, transaction, committedAt } = change;
    if (transaction === null && committedAt === null) return [];
    const isOfTransaction =
      transaction === null
        ? 'IS_NULL(c.transaction) AND c.committedAt = @transaction'
        : 'c.transaction.id = @transaction';
    const query = {
      query: `SELECT c.token, c.displaced, c.largeValues FROM c WHERE ${isOfTransaction} AND IS_DEFINED(c.movedFrom)`,
      parameters: [{ name: '@transaction', value: transaction?.id ?? committedAt }],
    };
    try {
      const { resources } = await this.#container.items
        .query<MoveInto & HoldsPointers>(query, { partitionKey: [table, key] })
        .fetchAll();
      return resources.map(revived).sort((a, b) => (a.token < b.token ? -1 : 1));
    } catch (error) {
      throw new StoreUnavailableError('the changes of a row could not be read', { cause: error });
    }
  }

  #creates(changes: readonly NormalizedChange[], ingestedAt: string) {
    return changes.map(({ identity, ...fields }) => {
      const id = changeId(identity);
      const change = { id, ...fields, ingestedAt, ttl: this.#ttlSeconds };
      // Only what a row brings along when it moves may be a pointer: the rest came just now, or is recorded already.
      const document = fields.movedFrom === undefined ? change : listed(change);
      return { type: 'Create' as const, partitionKey: [fields.table, fields.key], id, document };
    });
  }
}

function toRecorded({ status }: OperationResult): Recorded {
  if (status === CREATED) return 'created';
  return status === EXISTS ? 'known' : { rejected: status };
}
