import type { OrganizationId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import { askWitnesses } from '../ask-witnesses.ts';
import { requireSigned } from '../checks/continuity.ts';
import { readLogState } from '../records/log-state.ts';
import type { LogServices } from '../services.ts';

/** Asks witnesses for cosignatures that the newest checkpoint lacks, also of a log that no other sweep lists. */
export async function askForQuietLog(services: LogServices, org: OrganizationId, log: WorkerLog): Promise<void> {
  const { head, checkpoint, ...state } = await readLogState(services.table, org);
  if (!head || !checkpoint) return;
  requireSigned(org, head.origin, checkpoint, (await services.logSigner()).publicKey);
  await askWitnesses(services, org, { ...state, checkpoint }, log);
}
