import { expect, it } from 'vitest';
import { FlowId } from '#shared/base/ids.ts';
import { type FlowName, storedName, type TrailName } from '#shared/base/names.ts';
import { micros } from '#shared/base/time.ts';
import { type Gap, gapId } from '#shared/expectations/rules/gaps/gap.ts';
import { GapArrivals } from '#verify/records/gaps.ts';

const flow = { id: FlowId.parse('flow'), name: storedName<FlowName>('web') };
const from = micros(1_800_000_000_000_000);
const until = micros(1_800_000_060_000_000);
const subject = { type: 'flow', ...flow } as const;
const trail = storedName<TrailName>('one');
const moment = (number: number) => ({ type: 'moment', flow, trail, number }) as const;

const GAP: Gap = {
  v: 1,
  id: gapId('expectation', subject, from),
  rev: 2,
  expectation: { id: 'expectation', name: 'reviews', version: 1 },
  kind: 'evidence',
  severity: 'warning',
  owner: null,
  subject,
  every: 60_000_000,
  grace: 0,
  since: micros(from - 60_000_000),
  state: 'closed',
  from,
  detectedAt: from,
  changedAt: until,
  until,
  ended: 'arrived',
  lastBefore: null,
  firstAfter: { at: until, shown: moment(2) },
  unknown: [],
  explanation: null,
};

const seen = (gap: Gap, at: number, number = 2) => {
  const arrivals = new GapArrivals();
  arrivals.add('line 1', gap);
  arrivals.see({ flow: flow.id, name: 'one', number, at: micros(at) });
};

it('a gap fits if the moment that it names came at its time, and if the export does not have the moment', () => {
  expect(() => seen(GAP, until)).not.toThrow();
  expect(() => seen(GAP, 1, 3)).not.toThrow();
});

it('a gap that names a moment of another time is a fault that names expectation, flow and interval', () => {
  expect(() => seen(GAP, until + 1_000_000)).toThrow(
    "the gap of expectation 'reviews' about flow 'web' from 2027-01-15T08:00:00.000Z to 2027-01-15T08:01:00.000Z does not follow: " +
      'the first arrival after it came at 2027-01-15T08:01:01.000Z and not at 2027-01-15T08:01:00.000Z',
  );
});

it('a gap about activity ends with the first moment of a trail', () => {
  expect(() => seen({ ...GAP, kind: 'activity' }, until)).toThrow('the first arrival after it begins no trail');
  expect(() => seen({ ...GAP, kind: 'activity', firstAfter: { at: until, shown: moment(1) } }, until)).not.toThrow();
});

it('gaps about trails are left alone: their arrivals are no moments of the flow', () => {
  expect(() => seen({ ...GAP, kind: 'completion' }, until + 1)).not.toThrow();
});
