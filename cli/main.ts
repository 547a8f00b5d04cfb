import { ApiError } from './api.ts';
import { type Command, EXIT, type ExitCode, UsageError } from './command.ts';
import { openTerminal } from './terminal.ts';

/** Each command in a file of its own, loaded when it is called. */
const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  status: async () => (await import('./status.ts')).status,
  deadletters: async () => (await import('./deadletters.ts')).deadletters,
  decode: async () => (await import('./decode.ts')).decode,
  send: async () => (await import('./send.ts')).send,
  verify: async () => (await import('./verify.ts')).verify,
  load: async () => (await import('./load.ts')).load,
  doctor: async () => (await import('./doctor.ts')).doctor,
};

const USAGE = `npx tributary <command> [options]

  status                                  the numbers of every stream
  deadletters list                        dead letters, newest first     --stream --source --reason --from --to --limit
  deadletters show ID --stream S          one of them, with its bytes and what they decode to
  deadletters replay [ID … --stream S]    runs them through today's code; --all or a filter for many; --force for old ones
  deadletters purge                       deletes what a filter names; asks for --yes
  decode FILE                             a file of any of the four formats as normalised changes, without a store   --format
  send FILE|DIR                           to a hub (--hub --connection), or to an endpoint (--endpoint goldengate/pos)
  verify FILE.csv|ndjson --table T        compares an extract of the source with the rows   --key --types --null --delimiter
  load FILE.csv|ndjson --table T --key K  the rows that were there before the stream began   --token --taken-at --types --force
  doctor                                  settings, reachability, permissions, containers, each with a remedy

Everywhere: --json for machines, --help. The app is found by --url and --key, TRIBUTARY_URL and TRIBUTARY_KEY, or .local/stack.json;
the store (verify, load, doctor) by the app's settings in the environment, .local/stack.json and local.settings.json.
Ends with 0 when all is well, 1 when something is not, 2 when it was called wrongly.`;

/** Runs the command that `args` name. Never throws. */
export async function main(args: readonly string[]): Promise<ExitCode> {
  const terminal = openTerminal(process.stdout, process.stderr);
  const [name = 'help', ...rest] = args;
  if (name === 'help' || args.includes('--help')) {
    terminal.line(USAGE);
    return EXIT.ok;
  }
  try {
    const open = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (open === undefined) throw new UsageError(`there is no command ${name}`);
    const command = await open();
    return await command(rest, { terminal, environment: process.env, folder: process.cwd() });
  } catch (error) {
    terminal.endProgress();
    const message = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError || isParseError(error);
    terminal.note(isUsage ? `${message}\n\n${USAGE}` : error instanceof ApiError ? message : describe(error));
    return isUsage ? EXIT.usage : EXIT.found;
  }
}

/** What `parseArgs` throws for an option that does not exist, or lacks its value. */
function isParseError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
