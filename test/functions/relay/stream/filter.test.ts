import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { readBatch } from '#functions/relay/stream/read-batch.ts';
import { passesFilter, RELAY_FILTER, RELAY_ITEMS } from '#infra/event-source.ts';
import { goldenFolders, type RawItem, readGolden } from '#test/golden/golden-file.ts';
import { serviceTemplates } from '#test/infra/synthesized.ts';

/** One item of each kind of record, as this checkout writes them. */
const items = goldenFolders('infra/release')
  .slice(-1)
  .flatMap((folder) => readGolden(folder).items);

/** The subjects of which an item is news: the keys of a batch. */
function subjectsOf(item: RawItem): string[] {
  // The types of the event and of the SDK describe the same attributes.
  const NewImage = item as Record<string, AttributeValue>;
  const record: DynamoDBRecord = { dynamodb: { NewImage } };
  const { environments, ...batch } = readBatch([record]);
  return Object.entries({ ...batch, ...environments }).flatMap(([subject, news]) => (news.length > 0 ? [subject] : []));
}

const keyOf = ({ pk, sk }: RawItem) => `${pk?.S} / ${sk?.S}`;

test('every subject of a batch has an item among the records of each kind, and the filter lets all of these items through', () => {
  const { environments, unreadable: _, ...batch } = readBatch([]);
  const subjects = new Set([...Object.keys(batch), ...Object.keys(environments)]);
  const found = items.map((item) => ({ item, subjects: subjectsOf(item) }));
  expect(new Set(found.flatMap((one) => one.subjects))).toEqual(subjects);
  const lost = found.filter((one) => one.subjects.length > 0 && !passesFilter(one.item)).map(({ item }) => keyOf(item));
  expect(lost).toEqual([]);
});

test('the filter drops most of the items without effects', () => {
  const idle = items.filter((item) => subjectsOf(item).length === 0);
  const passing = idle.filter((item) => passesFilter(item)).map((item) => item['pk']?.S?.split('#')[1] ?? '');
  expect(passing.length / idle.length).toBeLessThan(0.1);
  expect(new Set(passing)).not.toContain('CATALOGUE');
  // What the integrator writes would call the relay as often as somebody writes.
  expect(new Set(passing)).not.toContain('LOG');
  expect(new Set(passing)).not.toContain('LOGGED');
});

test('a removal has no new image, so it does not pass', () => {
  expect(passesFilter(undefined)).toBe(false);
});

test('each pattern lets an item with effects through that no other pattern lets through', () => {
  const withEffects = items.filter((item) => subjectsOf(item).length > 0);
  for (const pattern of RELAY_ITEMS) {
    const only = withEffects.filter((item) => passesFilter(item, [pattern]));
    const others = RELAY_ITEMS.filter((other) => other !== pattern);
    expect([pattern, only.some((item) => !passesFilter(item, others))]).toEqual([pattern, true]);
  }
});

test('the event source of a region has the same filter, in the syntax of the platform', () => {
  const sources = Object.values(serviceTemplates().eu.service.findResources('AWS::Lambda::EventSourceMapping'));
  const filters = sources.flatMap(({ Properties }) => Properties.FilterCriteria?.Filters ?? []);
  expect(filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([RELAY_FILTER]);
  // The platform takes patterns of up to 4,096 characters.
  expect(filters[0].Pattern.length).toBeLessThan(4096);
});
