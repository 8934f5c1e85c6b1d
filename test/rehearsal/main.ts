import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replacingProperties } from '#infra/release/fixed-resources.ts';
import { Emulator } from './emulator.ts';
import { installEmulator } from './python.ts';
import { synthesizeRelease } from './release.ts';
import { Report } from './report.ts';
import { endAll, RehearsalError } from './run.ts';
import { CHANGED_SETTINGS, firstDeployment, tearDown, upgrade } from './steps.ts';
import { resourcesOf, synthesize } from './templates.ts';

/**
 * `npm run rehearse` deploys the stage `eu` to an emulator of CloudFormation on this machine, changes it, upgrades it from the last
 * release, removes it and deploys it again. After each step it compares what is there with the documents. docs/testing.md says more.
 */

/** A run takes some minutes. */
const LIMIT = 15 * 60_000;

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => stop.abort(new RehearsalError(`Stopped by ${name}.`)));
}
const timer = setTimeout(() => stop.abort(new RehearsalError('The rehearsal took longer than 15 minutes.')), LIMIT);
const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));

async function rehearse(signal: AbortSignal): Promise<number> {
  console.log('Installing the emulator and synthesizing the stage; nothing is deployed to an account.');
  const python = await installEmulator(join(folder, 'environment'), signal);
  const present = await synthesize(join(folder, 'present'), signal);
  const changed = await synthesize(join(folder, 'changed'), signal, { settings: CHANGED_SETTINGS });
  const released = await synthesizeRelease(join(folder, 'release'), signal);
  const all = [present, changed, ...(released ? [released.templates] : [])];
  const types = new Set(all.flatMap(resourcesOf).map(({ Type }) => Type));
  const fixed = Object.fromEntries([...types].map((type) => [type, [...replacingProperties(type)]]));
  const emulator = await Emulator.start(python, folder, fixed, signal);
  const report = new Report(signal);
  const rehearsal = { emulator, report, present, changed, released };
  await report.guard(() => firstDeployment(rehearsal));
  await emulator.reset();
  if (await report.guard(() => upgrade(rehearsal))) await report.guard(() => tearDown(rehearsal));
  await emulator.stop();
  return report.end();
}

try {
  process.exitCode = await rehearse(stop.signal);
} catch (error) {
  const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
  if (!(reason instanceof RehearsalError)) throw reason;
  console.error(reason.message);
  process.exitCode = stop.signal.aborted ? 130 : 1;
} finally {
  clearTimeout(timer);
  await endAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
