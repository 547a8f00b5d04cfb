import { HostConfigurationError } from './errors.ts';

export type Settings = Readonly<Record<string, string>>;

/** Replaces `%NAME%` by the setting NAME, as the real host does in trigger options. Throws {@link HostConfigurationError}. */
export function expandSettings(text: string, settings: Settings, where: string): string {
  return text.replace(/%([^%]+)%/g, (_, name: string) => {
    const value = settings[name];
    if (value === undefined) {
      throw new HostConfigurationError(`${where} refers to %${name}%, and there is no such setting.`);
    }
    return value;
  });
}

/**
 * The connection string behind a trigger's `connection`. Locally only connection strings are understood: an
 * identity-based connection (`NAME__fullyQualifiedNamespace` and its like) is refused by name.
 * Throws {@link HostConfigurationError}.
 */
export function connectionString(name: string, settings: Settings, where: string): string {
  const value = settings[name] ?? settings[`AzureWebJobs${name}`];
  if (value !== undefined && value !== '') {
    return value;
  }
  const identity = Object.keys(settings).find((key) => key.startsWith(`${name}__`));
  throw new HostConfigurationError(
    identity === undefined
      ? `${where} needs the setting ${name}, which is missing.`
      : `${where} uses the identity-based connection ${identity}; the local host needs a connection string in ${name}.`,
  );
}
