import { parseArgs } from 'node:util';
import { API_OPTIONS } from './api.ts';
import { type Command, EXIT } from './command.ts';
import { type CheckResult, checksOf } from './doctorChecks.ts';

/** `tributary doctor`: whether everything that the app needs is there and open to it, each failure with a remedy. */
export const doctor: Command = async (args, context) => {
  const { values } = parseArgs({ args: [...args], options: { ...API_OPTIONS, json: { type: 'boolean' } } });
  const { terminal } = context;
  const results: CheckResult[] = [];
  for await (const result of checksOf(values, context)) {
    results.push(result);
    if (values.json === true) continue;
    terminal.line(
      `${result.ok ? 'ok    ' : 'FAILED'}  ${result.name}${result.detail === '' ? '' : `: ${result.detail}`}`,
    );
    if (!result.ok) terminal.line(`        ${result.remedy}`);
  }
  if (values.json === true) terminal.line(JSON.stringify({ checks: results }, null, 2));
  return results.every(({ ok }) => ok) ? EXIT.ok : EXIT.found;
};
