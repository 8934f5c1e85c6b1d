import { inject } from 'vitest';
import type * as z from 'zod';
import { EXPORTER_USES } from '#functions/exporter/uses.ts';
import { exportMessages } from '#functions/exporter/work.ts';
import { readVerifier } from '#functions/read-verifier.ts';
import type { Services } from '#functions/services.ts';
import { localExportFiles } from '#infra/local/clients.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { ExportMessage as ExportMessageSchema } from '#shared/exports/export-message.ts';
import type { ExporterServices } from '#shared/exports/services.ts';
import { entryOfItem, hasEntry } from '#shared/log/item-entries.ts';
import { readCheckpoint, storeCosigned } from '#shared/log/records/log-state.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { familyOf } from '#shared/table/uses.ts';
import { addSignatures, formatNote, parseNote } from '#shared/tlog/notes.ts';
import { type Signer, signNote } from '#shared/tlog/signer.ts';
import { heldTo, holdExportFiles } from '../declared-uses.ts';
import { queueEvent, recordingExports } from '../queue.ts';
import { itemsOf } from '../relay.ts';
import { onlyLocal } from '../table.ts';
import { integratorOf } from './log.ts';

type Message = z.output<typeof ExportMessageSchema>;
/** Without a kind it is about an export. */
type ExportMessage = Pick<Message, 'org' | 'id'> & Partial<Message>;

/** The exporter, with a queue of its own. */
export interface TestExporter {
  services: ExporterServices;
  logged: Record<string, unknown>[];
  /**
   * Logs the audit log of the organization and publishes it. Then hands a message to the exporter, and every message that it sends.
   * @param times readings of the clock of a call in milliseconds, and then the last of them. Without them a call has no end
   * @returns the number of calls
   * @throws Error if a message failed
   */
  run(message: ExportMessage, times?: readonly number[]): Promise<number>;
  /** Hands over one message. @returns whether it succeeded */
  work(message: unknown, times?: readonly number[]): Promise<boolean>;
}

export function exporterOf(
  all: Services,
  more: Partial<ExporterServices> = {},
  cosigners: readonly Signer[] = [],
): TestExporter {
  const { table, objects, clock, keys, witness } = all;
  const queue = recordingExports();
  const files = holdExportFiles(localExportFiles(onlyLocal(inject('s3'))));
  const services: ExporterServices = {
    table,
    objects,
    clock,
    keys,
    witness,
    files,
    exports: queue.queue,
    verifier: readVerifier,
    ...more,
  };
  const logged: Record<string, unknown>[] = [];
  const work: TestExporter['work'] = async (message, times = [0]) => {
    const left = [...times];
    const wallClock = () => (left.length > 1 ? left.shift() : left[0]) ?? 0;
    const log = (line: object) => void logged.push({ ...line });
    const { batchItemFailures } = await heldTo('exporter', EXPORTER_USES, () =>
      exportMessages(queueEvent([message]), services, { log, wallClock }),
    );
    return batchItemFailures.length === 0;
  };
  return {
    services,
    logged,
    work,
    async run(message, times) {
      let calls = 0;
      await logItems(all, message.org, ({ pk }) => familyOf(pk) === 'AUDIT');
      if (cosigners.length > 0) await cosign(table, message.org, cosigners);
      for (let next: unknown = message; next !== undefined; ) {
        if (!(await work(next, times))) throw new Error(`The exporter failed: ${JSON.stringify(logged.at(-1))}`);
        calls += 1;
        const [sent] = queue.take();
        if (sent && sent.delaySeconds > 0) throw new Error('The export waits for a checkpoint that does not come');
        next = sent?.message;
      }
      return calls;
    },
  };
}

/** Appends everything that an organization has in the table to its log, and publishes it. */
export const logEverything = (services: Services, org: OrganizationId): Promise<void> =>
  logItems(services, org, () => true);

async function logItems(
  { table, objects, clock, keys }: Services,
  org: OrganizationId,
  isWanted: (item: Item) => boolean,
): Promise<void> {
  const items = (await itemsOf(table.name, org))
    .filter((item) => hasEntry(item) && isWanted(item))
    .flatMap((item) => entryOfItem(item) ?? []);
  const trails = new Map(items.flatMap(({ trail }) => (trail ? [[trail.id, trail.name] as const] : [])));
  const failed = await integratorOf(table, { objects, clock, logSigner: keys.log }).integrate(
    org,
    items.map(({ bytes }) => bytes),
    trails,
  );
  if (failed > 0) throw new Error('The integrator failed');
}

/** Stores the published checkpoint with the signatures of witnesses, as the integrator does when they have answered. */
export async function cosign(table: Table, org: OrganizationId, witnesses: readonly Signer[]): Promise<void> {
  const checkpoint = await readCheckpoint(table, org);
  if (!checkpoint) throw new Error('The log has no checkpoint');
  const note = parseNote(checkpoint.note);
  const { signatures } = await signNote(note.text, witnesses);
  await storeCosigned(table, org, { ...checkpoint, note: formatNote(addSignatures(note, signatures)) });
}
