import { expect } from 'vitest';
import { expandMessages, PIECES_MILLIS } from '#functions/expander/expand-messages.ts';
import { EXPANDER_USES } from '#functions/expander/uses.ts';
import { RelayMemory } from '#functions/relay/memory.ts';
import { type RelayOptions, relay } from '#functions/relay/relay.ts';
import type { RelayServices } from '#functions/relay/services.ts';
import { sweepSetAside } from '#functions/relay/sweeps/sweep-set-aside.ts';
import { askForVisits, visitOrganizations } from '#functions/relay/sweeps/visit-organizations.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { type FlowId, type Id, newId, type OrganizationId, storedId, type TrailId } from '#shared/base/ids.ts';
import { entryHash, FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import { fromMillis, micros, plus } from '#shared/base/time.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { momentEntry } from '#shared/evidence/records/moments.ts';
import { detailsText, lastingText } from '#shared/evidence/rules/moment-texts.ts';
import { setAsideList } from '#shared/sweeps/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { type MovableClock, movableClock } from '#test/support/clock.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { testId, testName } from '#test/support/ids.ts';
import { queueEvent, recordingExpansions, recordingQueues, recordingVisits } from '#test/support/queue.ts';
import { streamEvent } from '#test/support/table/stream.ts';
import { testObjects } from '#test/support/trails.ts';

export const SECOND = 1_000_000;
export const MINUTE = 60 * SECOND;
export const START = fromMillis(Date.UTC(2026, 5, 15, 12));

/**
 * Asks for visits of all listed organizations, and makes visits until none is asked for.
 * @throws Error if a visit failed, after all others were made
 */
export async function sweepOrganizations(
  services: Omit<RelayServices, 'visits'>,
  options: RelayOptions,
): Promise<void> {
  const { queue, take } = recordingVisits();
  const visited = { ...services, visits: queue };
  await askForVisits(visited, { lines: () => {}, ...options });
  let failed = 0;
  for (let sent = take(); sent.length > 0; sent = take()) {
    const { batchItemFailures } = await visitOrganizations(
      queueEvent(sent.map(({ message }) => message)),
      visited,
      options,
    );
    failed += batchItemFailures.length;
  }
  if (failed > 0) throw new Error(`${failed} visits failed`);
}

let organizations = 0;
export interface Setting {
  org: OrganizationId;
  clock: MovableClock;
  memory: RelayMemory;
  logged: { message: string; facts: Record<string, unknown> }[];
  /** Stores items and hands them to the relay, as writers and the stream do. */
  write(items: readonly Item[]): ReturnType<typeof relay>;
  /** Hands items to the relay as the stream would. */
  hand(items: readonly Item[], wallClock?: () => number): ReturnType<typeof relay>;
  /**
   * Hands the messages of the queue of expansions to the expander until none is left.
   * @param hasTime whether a call has time for more than one piece
   * @returns the kinds of work of the messages, in the order of the calls
   */
  expand(hasTime?: boolean): Promise<string[]>;
  /** Another container of the relay, with a memory of its own. */
  container(): Pick<Setting, 'hand'>;
  sweep(): Promise<void>;
  /** The items of this organization whose records are set aside. */
  setAside(): Promise<Item[]>;
  /** Tries the records again that are set aside and due. */
  tryAgain(): Promise<number>;
}

/** Returns a relay of a new organization in the table. */
export function relaySetting(table: Table): Setting {
  organizations += 1;
  const org = newId<OrganizationId>(plus(START, organizations * 1000));
  const clock = movableClock(START);
  const memory = new RelayMemory();
  const logged: Setting['logged'] = [];
  const log = (message: string, facts: Record<string, unknown>) => void logged.push({ message, facts });
  const expansions = recordingExpansions();
  const services = { table, clock, objects: testObjects(), ...recordingQueues(), expansions: expansions.queue };
  // The clock stands still, so that no series goes to the expander because the machine is slow.
  const stopped = () => 0;
  const hand: Setting['hand'] = (items, wallClock = stopped) =>
    heldTo('relay', RELAY_USES, () => relay(streamEvent(items), services, { memory, log, lines: () => {}, wallClock }));
  const expand: Setting['expand'] = async (hasTime = true) => {
    const works: string[] = [];
    for (let sent = expansions.sent.shift(); sent; sent = expansions.sent.shift()) {
      const event = queueEvent([sent.message]);
      const times = [0];
      const wallClock = () => times.shift() ?? (hasTime ? 0 : PIECES_MILLIS);
      const work = () => expandMessages(event, services, { log, wallClock });
      expect(await heldTo('expander', EXPANDER_USES, work)).toEqual({ batchItemFailures: [] });
      expect(sent.group).toBe(org);
      works.push(sent.message.work);
    }
    return works;
  };
  return {
    org,
    clock,
    memory,
    logged,
    hand,
    expand,
    sweep: () => heldTo('relay', RELAY_USES, () => sweepOrganizations(services, { memory, log, wallClock: stopped })),
    setAside: async () =>
      (await table.query({ pk: setAsideList })).filter(({ item }) => (item as { pk: string }).pk.startsWith(org)),
    tryAgain: () => heldTo('relay', RELAY_USES, () => sweepSetAside(services, { memory, log, wallClock: stopped })),
    container: () => ({
      hand: (items) =>
        relay(streamEvent(items), services, { memory: new RelayMemory(), log, lines: () => {}, wallClock: stopped }),
    }),
    async write(items) {
      await table.putMany(items);
      return hand(items);
    },
  };
}

/** Returns the first moment of a trail, with a sound hash. */
export function momentItem(
  org: OrganizationId,
  flow: FlowId,
  {
    at = 1,
    body = momentBody('COMPLIANT'),
    details = momentDetails(),
  }: { at?: number; body?: string; details?: string } = {},
): Item {
  const facts = {
    at: micros(at),
    kind: 'trail_updated' as const,
    trail: testId<TrailId>('trail'),
    previous: FIRST_PREVIOUS,
  };
  const secret = { salt: new Uint8Array(32), detailsSalt: new Uint8Array(32), pledges: {} };
  const moment = { sk: '0000000001', ...facts, ...secret, body, details };
  const hash = entryHash(momentEntry(org, { ...moment, flow, number: 1 }));
  return { ...moment, ...momentKey(org, flow, testName('trail'), 1), hash };
}

export const momentBody = (word: string): string =>
  lastingText({
    ...{ changes: [], template: null, ownTemplate: null, word, attestations: 0 },
    ...{ names: { flow: 'web', trail: 'trail' }, by: { id: storedId('i') } },
  });

export const momentDetails = (repo?: Id): string =>
  detailsText({ by: { name: 'n' }, fields: null, ...(repo !== undefined && { repo }) });
