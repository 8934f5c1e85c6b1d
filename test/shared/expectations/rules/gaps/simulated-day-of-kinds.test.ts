import { expect, test } from 'vitest';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { firstPlace, firstStart, waitOf } from '#shared/expectations/rules/gaps/first-place.ts';
import { mergedArrivals } from '#shared/expectations/rules/gaps/merged-arrivals.ts';
import { STORED_ARRIVALS } from '#shared/expectations/rules/gaps/plan.ts';
import { decidedAt } from '#shared/expectations/rules/judge-once.ts';
import { isRestart } from '#shared/expectations/rules/restarts.ts';
import {
  at,
  DAY,
  dice,
  type Found,
  inOrder,
  looksOfDay,
  OUTAGE,
  oracleGap,
  SimulatedService,
} from './simulated-service.ts';

/** A day of the kinds that are not about reports. The oracles know what came, and say what was missing without the rules. */

const TERMS = { every: 20 * 60, grace: 2 * 60 };
const isUp = (second: number) => second < OUTAGE.from || second >= OUTAGE.to;
const byTime = <T extends { at: number }>(all: readonly T[]): T[] => all.toSorted((one, other) => one.at - other.at);

/** Gaps that become due after the last look belong to the next day. */
const seenBy = (last: number) => (found: readonly Found[]) =>
  inOrder(found.filter(({ from }) => from + TERMS.grace < last));

test('flows and the whole scope have exactly the gaps that happened', () => {
  const random = dice(7);
  const flows = Array.from({ length: 200 }, (_, i) => `flow-${i}`);
  const { looks, last } = looksOfDay(17);
  const arrivals = byTime(
    flows.flatMap((flow, i) => {
      const pace = 300 + Math.floor(random() * 1_800);
      const dies = i % 10 === 0 ? random() * DAY : DAY;
      const times: { flow: string; at: number }[] = [];
      for (let second = random() * pace; second < last; second += random() * 2 * pace) {
        if (isUp(second) && second < dies) times.push({ flow, at: Math.floor(second) });
      }
      return times;
    }),
  );
  // Only a few flows count for the scope, so that the scope is silent too.
  const few = new Set(flows.slice(0, 2));
  const ofSubject = (subject: string) =>
    arrivals.filter(({ flow }) => (subject === 'scope' ? few.has(flow) : flow === subject)).map((one) => one.at);
  const expected = ['scope', ...flows].flatMap((subject) => {
    const times = ofSubject(subject);
    return [0, ...times].flatMap((since, i) => oracleGap(subject, since, times[i] ?? null, { ...TERMS, last }));
  });

  const service = new SimulatedService(TERMS.every, TERMS.grace);
  const stored = new Map<string, Micros[]>();
  let next = 0;
  for (const second of looks) {
    for (; (arrivals[next]?.at ?? DAY) < second; next += 1) {
      const { flow = '', at: when = 0 } = arrivals[next] ?? {};
      stored.set(flow, [at(when), ...(stored.get(flow) ?? [])].slice(0, STORED_ARRIVALS));
      service.arrive(flow, at(when));
      if (few.has(flow)) service.arrive('scope', at(when));
    }
    service.beginLook(second);
    for (const flow of flows) service.look(flow, { created: at(0), arrivals: stored.get(flow) ?? [] });
    service.look('scope', { created: EPOCH, arrivals: mergedArrivals([...few].map((flow) => stored.get(flow) ?? [])) });
    service.endLook();
  }
  const seen = seenBy(last);
  expect(seen(service.found)).toEqual(seen(expected));
  expect(expected.filter(({ subject }) => subject === 'scope').length).toBeGreaterThan(3);
  expect(expected.filter(({ state }) => state === 'unknown').length).toBeGreaterThan(50);
});

test('exactly those of 5,000 trails have a gap that were not compliant in time', () => {
  const random = dice(11);
  const { looks, last } = looksOfDay(42);
  const trails = byTime(
    Array.from({ length: 5_000 }, (_, i) => {
      const begun = Math.floor(random() * DAY);
      const took = i % 20 === 0 ? DAY : random() * 2 * (TERMS.every + TERMS.grace);
      const done = begun + 1 + Math.floor(i % 7 === 0 ? TERMS.every + TERMS.grace - 30 + random() * 60 : took);
      // What nobody could send during the outage comes after it.
      const met = isUp(done) ? done : OUTAGE.to + (i % 300);
      return { subject: `trail-${i}`, at: begun, met: met < last ? met : null };
    }),
  ).filter((one) => isUp(one.at));
  const expected = trails.flatMap((one) => oracleGap(one.subject, one.at, one.met, { ...TERMS, last }));

  const service = new SimulatedService(TERMS.every, TERMS.grace);
  const completions = trails
    .flatMap(({ subject, met }) => (met === null ? [] : [{ subject, at: met }]))
    .toSorted((one, other) => one.at - other.at);
  const stored = new Map<string, Micros>();
  let next = 0;
  for (const second of looks) {
    for (; (completions[next]?.at ?? DAY) < second; next += 1) {
      const { subject = '', at: when = 0 } = completions[next] ?? {};
      stored.set(subject, at(when));
      service.arrive(subject, at(when));
    }
    const from = firstPlace(service.terms, service);
    const due = trails.filter(
      (one) => one.at < second && at(one.at) >= from && at(one.at) + waitOf(service.terms) < at(second),
    );
    service.beginLook(second);
    const looked = new Set(due.map(({ subject }) => subject));
    for (const { subject, at: begun } of due) {
      const met = stored.get(subject);
      service.look(subject, { created: at(begun), arrivals: met === undefined ? [] : [met], isOnce: true });
    }
    for (const [subject, { since }] of service.lasting) {
      if (!looked.has(subject)) service.look(subject, { created: since, arrivals: [], isOnce: true });
    }
    service.endLook();
  }
  const seen = seenBy(last);
  expect(seen(service.found)).toEqual(seen(expected));
  expect(expected.length).toBeGreaterThan(1_500);
  expect(expected.filter(({ state }) => state === 'unknown').length).toBeGreaterThan(20);
});

interface Happening {
  at: number;
  what: 'start' | 'approved' | 'refused';
}

/** What is owed for an artifact: a start owes a decision unless one is owed already, or the decision in force allows it. */
function oracleOfArtifact(subject: string, happened: readonly Happening[], last: number): Found[] {
  const found: Found[] = [];
  let isApproved = false;
  let owedSince: number | null = null;
  for (const { at: second, what } of happened) {
    if (what === 'start') owedSince ??= isApproved ? null : second;
    else isApproved = what === 'approved';
    if (!isApproved || owedSince === null) continue;
    found.push(...oracleGap(subject, owedSince, second, { ...TERMS, last }));
    owedSince = null;
  }
  return owedSince === null ? found : [...found, ...oracleGap(subject, owedSince, null, { ...TERMS, last })];
}

test('an artifact that starts again and again has one gap for what nobody decided, also if starts are listed late', () => {
  const random = dice(13);
  const { looks, last } = looksOfDay(5);
  const artifacts = Array.from({ length: 500 }, (_, i) => {
    const used = new Set<number>();
    const happened = Array.from({ length: 1 + Math.floor(random() * 12) }, (): Happening => {
      const word = random();
      const what = word < 0.5 ? 'start' : word < 0.8 ? 'approved' : 'refused';
      return { at: Math.floor(random() * last), what };
    }).filter((one) => isUp(one.at) && !used.has(one.at) && used.add(one.at) && one.at < last);
    return { subject: `artifact-${i}`, happened: byTime(happened) };
  });
  const expected = artifacts.flatMap(({ subject, happened }) => oracleOfArtifact(subject, happened, last));

  const service = new SimulatedService(TERMS.every, TERMS.grace);
  const starts = byTime(
    artifacts.flatMap(({ subject, happened }) => {
      const own = happened.filter(({ what }) => what === 'start');
      let listed = 0;
      return own.map((one, i) => {
        // Now and then a start comes into the list after it was due. Starts come in their order.
        const late = random() < 0.1 ? TERMS.every + TERMS.grace + Math.floor(random() * 1_000) : 2;
        listed = Math.max(listed, one.at + late);
        return { subject, at: one.at, listed, before: own[i - 1]?.at, happened };
      });
    }),
  );
  const decisions = byTime(
    artifacts.flatMap(({ subject, happened }) =>
      happened.filter(({ what }) => what === 'approved').map((one) => ({ subject, at: one.at })),
    ),
  );
  /** When a start was decided about, as far as it is known at a second. */
  const metBy = (happened: readonly Happening[], start: number, second: number) =>
    decidedAt(
      happened
        .filter((one) => one.what !== 'start' && one.at < second)
        .map((one) => ({ at: at(one.at), compliant: one.what === 'approved' })),
      at(start),
    );
  let next = 0;
  for (const second of looks) {
    for (; (decisions[next]?.at ?? DAY) < second; next += 1) {
      const { subject = '', at: when = 0 } = decisions[next] ?? {};
      service.arrive(subject, at(when));
    }
    service.beginLook(second);
    const from = firstStart(firstPlace(service.terms, service), service.terms, service);
    const looked = new Set<string>();
    for (const { subject, at: start, listed, before, happened } of starts) {
      const begun = at(start);
      if (begun < from || begun + waitOf(service.terms) >= at(second) || listed >= second) continue;
      if (before !== undefined && isRestart(metBy(happened, before, second), begun)) continue;
      const gap = service.lasting.get(subject);
      // The gap of an earlier start is another one.
      if (gap && gap.since !== begun) continue;
      const met = metBy(happened, start, second);
      looked.add(subject);
      service.look(subject, { created: begun, arrivals: met === null ? [] : [met], isOnce: true });
    }
    for (const [subject, { since }] of service.lasting) {
      if (!looked.has(subject)) service.look(subject, { created: since, arrivals: [], isOnce: true });
    }
    service.endLook();
  }
  const seen = seenBy(last - 1_000);
  expect(seen(service.found)).toEqual(seen(expected));
  expect(expected.length).toBeGreaterThan(400);
});
