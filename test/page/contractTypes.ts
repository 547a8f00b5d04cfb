import type * as page from '../../page/contract.ts';
import type { RowDocument } from '../../shared/change/rowDocument.ts';
import type { DeadLetterSummary, DeadLetterView } from '../../shared/operate/deadLetterView.ts';
import type { Health } from '../../shared/operate/health.ts';
import type { ReplayReport } from '../../shared/operate/replayReport.ts';
import type { Status } from '../../shared/operate/status.ts';
import type { ChangeDocument } from '../../shared/store/changes.ts';

/** That the API answers what the page reads: the compiler says so, for each kind of answer, or does not compile this. */
export const asPageReads = {
  status: (answer: Status): page.Status => answer,
  health: (answer: Health): page.Health => answer,
  row: (answer: RowDocument): page.RowDocument => answer,
  change: (answer: ChangeDocument): page.Change => answer,
  deadLetters: (answer: DeadLetterSummary): page.DeadLetterSummary => answer,
  deadLetter: (answer: DeadLetterView): page.DeadLetter => answer,
  replayed: (answer: ReplayReport): page.Replayed => answer,
};
