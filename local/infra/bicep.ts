import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/**
 * The Bicep compiler. It is a single program, and the package below carries it for the commonest machines; elsewhere an
 * installed one is used. The version is fixed, for each one warns of other things.
 */
const VERSION = '0.49.2';
const PACKAGE = 'Azure.Bicep.CommandLine.linux-x64';
const FETCH_TIMEOUT_MS = 120_000;
const RUN_TIMEOUT_MS = 120_000;
const OUTPUT_BYTES_MAX = 64 * 2 ** 20;

const run = promisify(execFile);

/** A compiler that can be called. */
export interface Bicep {
  readonly path: string;
  /** Resolves with what it printed, also where it failed: its diagnostics are what is wanted. */
  run(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }>;
}

/** The compiler where it is there already: in the NuGet cache, on the PATH, or where the Azure CLI puts it. */
export async function findBicep(): Promise<Bicep | undefined> {
  const fileName = process.platform === 'win32' ? 'bicep.exe' : 'bicep';
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = [
    packaged(),
    ...onPath.map((folder) => join(folder, fileName)),
    join(homedir(), '.azure', 'bin', fileName),
  ];
  for (const path of candidates) {
    if (path !== undefined && (await isExecutable(path))) return bicepAt(path);
  }
  return undefined;
}

/** As `findBicep`; where there is none, lets the .NET SDK bring the package. Undefined where that does not work either. */
export async function findOrFetchBicep(): Promise<Bicep | undefined> {
  return (await findBicep()) ?? (packaged() !== undefined && (await fetchPackage()) ? findBicep() : undefined);
}

function packaged(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const cache = process.env.NUGET_PACKAGES ?? join(homedir(), '.nuget', 'packages');
  return join(cache, PACKAGE.toLowerCase(), VERSION, 'tools', 'bicep');
}

/** A project that only names the package: restoring it puts the package into the cache. */
async function fetchPackage(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bicep-'));
  try {
    const project = join(folder, 'bicep.csproj');
    await writeFile(
      project,
      `<Project Sdk="Microsoft.NET.Sdk">
        <PropertyGroup><TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework></PropertyGroup>
        <ItemGroup><PackageDownload Include="${PACKAGE}" Version="[${VERSION}]" /></ItemGroup>
      </Project>`,
    );
    await run('dotnet', ['restore', project], { timeout: FETCH_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function bicepAt(path: string): Bicep {
  return {
    path,
    async run(...args) {
      try {
        const { stdout, stderr } = await run(path, args, { timeout: RUN_TIMEOUT_MS, maxBuffer: OUTPUT_BYTES_MAX });
        return { code: 0, output: stdout + stderr };
      } catch (error) {
        if (!(error instanceof Error && 'stderr' in error && 'stdout' in error && 'code' in error)) throw error;
        const code = typeof error.code === 'number' ? error.code : 1;
        return { code, output: `${error.stdout}${error.stderr}` };
      }
    },
  };
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
