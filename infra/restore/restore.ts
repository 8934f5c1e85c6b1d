import type { OrganizationId } from '#shared/base/ids.ts';
import { type Clock, type Micros, toSeconds } from '#shared/base/time.ts';
import { replayEvents } from '#shared/environments/sweeps/replay-events.ts';
import { listOrganizations } from '#shared/organizations/list-organizations.ts';
import type { Table } from '#shared/table/table.ts';
import { setClosed } from '#shared/table/table-state.ts';
import { endText, type ReapplyEnds } from './ends.ts';
import { instantText } from './instant.ts';
import { restoreLog } from './logs.ts';
import { restoreObjects } from './objects.ts';
import {
  isDone,
  type Progress,
  readLines,
  readProgress,
  type Step,
  storeLine,
  storeLines,
  storeProgress,
} from './progress.ts';
import { RestoreError } from './restore-error.ts';
import { settle } from './settle.ts';
import type { Connection, RestoreStage, Say } from './stage.ts';
import {
  configureTable,
  describe,
  makeTable,
  requireBackup,
  restoredName,
  restoredTables,
  streamed,
} from './tables.ts';

/** Organizations that are read at once. */
const PAGE = 100;

interface Restore {
  stage: RestoreStage;
  /** The instant, in whole seconds. */
  to: Micros;
  reapplyEnds: ReapplyEnds;
  clock: Clock;
  say: Say;
}

/** What a restore did, line by line. */
export interface RestoreReport {
  objects: string[];
  lost: string[];
  ends: string[];
}

/**
 * Restores the table of a stage to an instant (docs/deploying.md#restore). Progress lies in the restored table, so a call that was
 * interrupted at any place can be repeated with the same instant.
 *
 * @throws RestoreError if it cannot go on
 */
export async function restore(given: Restore): Promise<RestoreReport> {
  const { stage, to, clock, say } = given;
  const connection = await stage.connect();
  const { live } = connection;
  const target = restoredName(live, to);
  await requireNoOther(connection, live, target);
  // After the traffic was handed over, the restored table is the live one.
  const begun = await progressOf(connection, target);
  const source = begun?.source ?? live;
  if (begun) say(`The restore to ${instantText(to)} goes on: its last step was '${begun.step}'`);
  if (source === target) {
    throw new RestoreError(`The table ${live} is live, and says nothing about its restore. Give another instant`);
  }
  if (!begun) {
    await begin(given, connection, { source, target });
  }
  const run = new Run(given, { source, target });
  await run.step('objects', 'Bring back objects of the bucket that were deleted since then', () => run.objects());
  await run.step('logs', 'Bring back the logs of all organizations', () => run.logs());
  await run.step('ends', 'Apply again what was revoked, removed or erased since then', () => run.ends());
  await run.step('handed-over', `Make the service use the table ${target}`, () => run.handOver());
  await run.step('opened', 'Send missing notifications again, and end maintenance', () => run.open());
  await run.step('done', 'Make the definition of the stage own the table', () => run.own());
  const table = (await stage.connect()).table(target);
  say(`Restored to ${instantText(to)} at ${instantText(clock.now())}`);
  return {
    objects: await readLines(table, 'objects'),
    lost: await readLines(table, 'logs'),
    ends: await readLines(table, 'ends'),
  };
}

/** @throws RestoreError if a restore to another instant has begun and is not done */
async function requireNoOther(connection: Connection, live: string, target: string): Promise<void> {
  for (const name of await restoredTables(connection, live)) {
    if (name === target) continue;
    const progress = await progressOf(connection, name);
    if (progress?.step === 'done') continue;
    const to = progress ? instantText(progress.to) : `that the name of the table says`;
    throw new RestoreError(
      `A restore to the instant ${to} is half done: the table ${name} is not finished. ` +
        'Repeat the command with that instant, or delete the table',
    );
  }
}

async function progressOf(connection: Connection, name: string): Promise<Progress | undefined> {
  const described = await describe(connection, name);
  return described?.TableStatus === 'ACTIVE' ? readProgress(connection.table(name)) : undefined;
}

/** Closes the live table and makes the restored one. An interrupted call does all of it again. */
async function begin(
  { stage, to, clock, say }: Restore,
  connection: Connection,
  { source, target }: { source: string; target: string },
): Promise<void> {
  if (!(await describe(connection, target))) await requireBackup(connection, source, to, clock.now());
  say(`Begin maintenance: the service answers reads and takes no changes`);
  await setClosed(connection.table(source), clock.now());
  say('Wait until all functions keep to it, and until queues and the stream are worked off');
  await settle(stage, connection, say);
  say(`Restore the table ${source} to ${instantText(to)} as ${target}`);
  await makeTable(connection, { source, target, to }, say);
  await configureTable(connection, source, target);
  const table = connection.table(target);
  await setClosed(table, clock.now());
  await storeProgress(table, { source, to, step: 'restored' });
  say('The table is restored, and closed for changes');
}

/** The steps behind the restore of the table. */
class Run {
  readonly #given: Restore;
  readonly #source: string;
  readonly #target: string;

  constructor(given: Restore, { source, target }: { source: string; target: string }) {
    this.#given = given;
    this.#source = source;
    this.#target = target;
  }

  /** Runs a step unless it is done, and says so before and after. */
  async step(step: Step, what: string, run: () => Promise<string>): Promise<void> {
    const { say, to } = this.#given;
    if (await this.#isDone(step)) return;
    say(`${what} …`);
    const outcome = await run();
    await storeProgress((await this.#connect()).to, { source: this.#source, to, step });
    say(`  ${outcome}`);
  }

  async objects(): Promise<string> {
    const { connection, to } = await this.#connect();
    const keys = await restoreObjects(connection, to, organizationsOf(to), this.#given.to);
    await storeLines(to, 'objects', keys);
    return `${keys.length} objects are there again`;
  }

  async logs(): Promise<string> {
    const { connection, from, to } = await this.#connect();
    const lines: string[] = [];
    const kept = new Set<OrganizationId>();
    for await (const org of organizationsOf(to)) {
      kept.add(org.id);
      lines.push(...(await restoreLog(connection, { from, to }, org, this.#given.clock)));
    }
    for await (const { id, name } of organizationsOf(from)) {
      if (!kept.has(id)) lines.push(`the organization '${name}', with everything in it`);
    }
    await storeLines(to, 'logs', lines);
    return `${kept.size} logs are whole; ${lines.length} records of after the instant are lost`;
  }

  async ends(): Promise<string> {
    const { connection, from, to } = await this.#connect();
    const { objects, files } = connection;
    const { clock, to: since, reapplyEnds } = this.#given;
    const note: Parameters<ReapplyEnds>[0]['note'] = (end) =>
      storeLine(to, 'ends', `${end.organization ?? ''}#${end.kind}#${end.id ?? end.name}`, endText(end));
    const { applied, open, unknown } = await reapplyEnds({ from, to, objects, files, clock, since, note });
    for (const [i, sentence] of unknown.entries()) await storeLine(to, 'ends', `~${i}`, `not known: ${sentence}`);
    return `${applied.length} ends are applied again, ${open.length} are left to you`;
  }

  async handOver(): Promise<string> {
    const { connection } = await this.#connect();
    const { stage, say } = this.#given;
    await stage.handOver(await streamed(connection, this.#target), say);
    const { live } = await stage.connect();
    if (live !== this.#target) throw new RestoreError(`The service still uses the table ${live}. Repeat the command`);
    return 'The service uses the restored table';
  }

  async open(): Promise<string> {
    const { to: table } = await this.#connect();
    const { clock, to } = this.#given;
    const { organizations } = await replayEvents({ table, clock }, to);
    await setClosed(table, undefined);
    return `The service takes changes. The sweeps send again what ${organizations} organizations with notifications miss since ${toSeconds(to)}`;
  }

  async own(): Promise<string> {
    const { connection, to } = await this.#connect();
    const { stage, say } = this.#given;
    await stage.own(await streamed(connection, this.#target), say, {
      isNoted: async (what) => (await readLines(to, 'done')).includes(what),
      note: (what) => storeLine(to, 'done', what, what),
    });
    return `The restore is done. The old table ${this.#source} stays as it was, and takes no changes`;
  }

  async #isDone(step: Step): Promise<boolean> {
    const progress = await readProgress((await this.#connect()).to);
    return progress !== undefined && isDone(progress, step);
  }

  async #connect(): Promise<{ connection: Connection; from: Table; to: Table }> {
    const connection = await this.#given.stage.connect();
    return { connection, from: connection.table(this.#source), to: connection.table(this.#target) };
  }
}

async function* organizationsOf(table: Table): AsyncGenerator<{ id: OrganizationId; name: string }> {
  let after: OrganizationId | undefined;
  do {
    const { organizations, next } = await listOrganizations({ table }, { after, limit: PAGE });
    yield* organizations;
    after = next ?? undefined;
  } while (after !== undefined);
}
