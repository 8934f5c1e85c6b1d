import { describe, expect, it } from 'vitest';
import type { ExportContext } from '#shared/exports/context.ts';
import type { Place } from '#shared/exports/pages.ts';
import { plannedKeys, rangesFamily } from '#shared/exports/walk.ts';

const IDS = Array.from({ length: 40 }, (_, i) => String(i).padStart(3, '0'));
// Only the plan is read: no key has a range of the table.
const context = { plan: { flows: IDS } } as unknown as ExportContext;
const walked: string[] = [];
const family = rangesFamily({
  name: 'flows',
  keys: plannedKeys(({ flows }) => flows),
  ranges: (_, { id }) => {
    walked.push(id);
    return [];
  },
  lines: () => [],
});

async function placesFrom(place: Place | null): Promise<Place[]> {
  const places: Place[] = [];
  for await (const page of family.pages(context, place)) places.push(page.place);
  return places;
}

describe('the walk over a family', () => {
  it('has a page for every 16 keys although they have no items, so that a step can end there', async () => {
    expect((await placesFrom(null)).map(({ key }) => key)).toEqual(['015', '031', '039']);
    expect(walked.splice(0)).toEqual(IDS);
  });

  it('resumes behind a finished key, and at a key that was not finished', async () => {
    const [first] = await placesFrom(null);
    walked.length = 0;
    await placesFrom(first ?? null);
    expect(walked.splice(0)).toEqual(IDS.slice(16));
    await placesFrom({ key: '015', range: 0, after: 'x' });
    expect(walked.splice(0)).toEqual(IDS.slice(15));
  });
});
