import { DATA_FORMAT } from './data-format.ts';
import { loadReleaseSettings } from './env.ts';

/** Which release runs (rules/requests.md#version). */
export interface Release {
  version: string;
  commit: string;
  data_format: number;
}

let running: Release | undefined;

/** Returns the release that this process runs. It reads the settings at the first call. */
export function runningRelease(): Release {
  running ??= releaseOf(loadReleaseSettings());
  return running;
}

const releaseOf = ({ SERVICE_VERSION, SOURCE_COMMIT }: ReturnType<typeof loadReleaseSettings>): Release => ({
  version: SERVICE_VERSION,
  commit: SOURCE_COMMIT,
  data_format: DATA_FORMAT,
});
