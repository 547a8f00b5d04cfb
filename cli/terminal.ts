/** Where a command writes to. */
export interface Terminal {
  /** Results: what a pipe gets. */
  line(text: string): void;
  /** What people should know besides. */
  note(text: string): void;
  /** How far a long work is; shown only where somebody is looking. `total` is null where nobody knows. */
  progress(what: string, done: number, total: number | null): void;
  /** Takes the progress bar away. */
  endProgress(): void;
}

const BAR_CHARACTERS = 30;
const REFRESH_MS = 100;
const CLEAR_LINE = '\r\x1b[2K';

/**
 * What a shell shows for a program that a broken pipe (SIGPIPE) ended, which Node ignores: neither that all is well nor
 * that something was found, for it was not told to the end.
 */
const EXIT_OF_BROKEN_PIPE = 141;

/**
 * Ends this process without a word when whoever reads `streams` has seen enough, as `head` has. Other errors of theirs are
 * thrown.
 */
export function endWithReaders(...streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(EXIT_OF_BROKEN_PIPE);
    });
  }
}

/** Results on the standard output, everything else on the standard error. */
export function openTerminal(output: NodeJS.WriteStream, errors: NodeJS.WriteStream): Terminal {
  let isShown = false;
  let drawnAt = 0;
  const clear = () => {
    if (isShown) errors.write(CLEAR_LINE);
    isShown = false;
  };
  return {
    line(text) {
      clear();
      output.write(`${text}\n`);
    },
    note(text) {
      clear();
      errors.write(`${text}\n`);
    },
    progress(what, done, total) {
      const now = Date.now();
      if (!errors.isTTY || now - drawnAt < REFRESH_MS) return;
      drawnAt = now;
      isShown = true;
      errors.write(`${CLEAR_LINE}${progressText(what, done, total)}`);
    },
    endProgress: clear,
  };
}

/** `load  ██████░░░░ 60 %  600 of 1,000`. */
export function progressText(what: string, done: number, total: number | null): string {
  const count = done.toLocaleString('en');
  if (total === null || total <= 0) return `${what}  ${count}`;
  const share = Math.min(1, done / total);
  const filled = Math.round(share * BAR_CHARACTERS);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CHARACTERS - filled);
  return `${what}  ${bar} ${Math.floor(share * 100)} %  ${count} of ${total.toLocaleString('en')}`;
}

/** Columns side by side, each as wide as its widest cell. Numbers are set to the right. */
export function tableText(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [header, ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? format(cell) : cell)))];
  const widths = header.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const isNumeric = header.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  return cells
    .map((row) =>
      widths
        .map((width, column) => {
          const text = row[column] ?? '';
          return isNumeric[column] === true ? text.padStart(width) : text.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function format(number: number): string {
  return number.toLocaleString('en', { maximumFractionDigits: 1 });
}
