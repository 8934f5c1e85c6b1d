import { spawnSync } from 'node:child_process';
import { RehearsalError, run } from './run.ts';

/** The emulator, with the parts that its server needs. A newer version may need other patches. */
const EMULATOR = 'moto[server]==5.2.5';
/** The oldest Python that this version of the emulator accepts, as [major, minor]. */
const OLDEST = [3, 10] as const;

const MISSING =
  `The rehearsal needs Python ${OLDEST.join('.')} or newer with the module venv, as python3 in the path. ` +
  'On Debian: apt-get install python3 python3-venv';

/** Whether the answer of `python3 --version` names a version that the emulator accepts. */
export function isNewEnough(answer: string): boolean {
  const [, major, minor] = /^Python (\d+)\.(\d+)/.exec(answer) ?? [];
  if (major === undefined || minor === undefined) return false;
  const [oldestMajor, oldestMinor] = OLDEST;
  return Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor);
}

/**
 * Makes a virtual environment with the emulator in a folder. The package index is asked; nothing is installed outside of the folder.
 *
 * @returns the path of the environment's Python
 * @throws RehearsalError if there is no Python that is new enough, or if the emulator cannot be installed
 */
export async function installEmulator(folder: string, signal: AbortSignal): Promise<string> {
  const { stdout } = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  if (!isNewEnough(stdout ?? '')) throw new RehearsalError(MISSING);
  await run('python3', ['-m', 'venv', folder], signal);
  const python = `${folder}/bin/python`;
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', EMULATOR], signal);
  return python;
}
