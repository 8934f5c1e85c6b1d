import type { OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import type { Expectation } from '../rules/expectation.ts';
import type { Arrival } from '../rules/gaps/gap.ts';
import { planGaps, type Step } from '../rules/gaps/plan.ts';
import type { Look, Overdue } from '../rules/gaps/silence.ts';
import { endGap, gapOf, raiseGap, storeGap } from './change-gap.ts';
import type { Watched } from './watched.ts';

interface Looking {
  table: Table;
  org: OrganizationId;
  look: Look;
}

interface Looked {
  expectation: Expectation;
  watched: Watched;
}

/** Applies the steps of a look at a subject. If something came since the subject was read, it is read and judged again. */
export async function applySteps(looking: Looking, looked: Looked, steps: readonly Step[]): Promise<void> {
  let { watched } = looked;
  let todo = steps;
  await retrying(async () => {
    if (todo.length === 0) return 'done';
    const arrivalAt = await watched.readArrivals();
    for (const step of todo) {
      const outcome = await applyStep(looking, { ...looked, watched }, step, arrivalAt);
      if (outcome === 'done') continue;
      const present = await watched.again();
      // What is archived is no subject any more.
      if (!present) return 'done';
      watched = present;
      // The steps before this one ended the gap that was known.
      todo = planGaps(looked.expectation, present, undefined, looking.look).steps;
      return 'again';
    }
    return 'done';
  });
}

type ArrivalAt = (at: Micros) => Arrival | null;

/** @returns `arrived` if something came since the subject was read */
async function applyStep(
  { table, org, look }: Looking,
  { expectation, watched }: { expectation: Expectation; watched: Pick<Watched, 'subject' | 'guard'> },
  step: Step,
  arrivalAt: ArrivalAt,
): Promise<'done' | 'arrived'> {
  const { now } = look;
  switch (step.step) {
    case 'end': {
      const { gap, until, ended } = step;
      await endGap(
        table,
        org,
        gap.id,
        { until, ended, firstAfter: ended === 'arrived' ? arrivalAt(until) : null },
        look,
      );
      return 'done';
    }
    case 'raise':
      await raiseGap(table, org, step.gap.id, step.unknown, now);
      return 'done';
    case 'record': {
      const end = { until: step.until, firstAfter: arrivalAt(step.until) };
      await storeGap(table, org, gapOf({ ...found(step), end }, now));
      return 'done';
    }
    case 'open': {
      const gap = gapOf({ ...found(step), end: null }, now);
      const outcome = await storeGap(table, org, gap, watched.guard(gap.id));
      return outcome === 'arrived' ? outcome : 'done';
    }
  }

  function found({ overdue, lastAt }: { overdue: Overdue; lastAt: Micros }) {
    return { expectation, subject: watched.subject, overdue, lastBefore: arrivalAt(lastAt) };
  }
}
