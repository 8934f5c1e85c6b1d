import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readComponents } from '#shared/components/rules/read/read-components.ts';
import { expectedOf, type Model, models } from './models.ts';
import { toCycloneDxJson, toCycloneDxXml, toSpdx3, toSpdxJson, toSpdxTags } from './writers.ts';

const FORMATS: [format: string, write: (model: Model) => string][] = [
  ...['1.4', '1.5', '1.6', '1.7'].flatMap((version): [string, (model: Model) => string][] => [
    [`cyclonedx-${version} in JSON`, (model) => toCycloneDxJson(model, version)],
    [`cyclonedx-${version} in XML`, (model) => toCycloneDxXml(model, version)],
  ]),
  ['spdx-2.2 in JSON', (model) => toSpdxJson(model, '2.2')],
  ['spdx-2.3 in JSON', (model) => toSpdxJson(model)],
  ['spdx-2.2 as tags', (model) => toSpdxTags(model, '2.2')],
  ['spdx-2.3 as tags', (model) => toSpdxTags(model)],
  ['spdx-3.0 in JSON-LD', toSpdx3],
];

const sorted = (components: readonly unknown[]) => components.map((one) => JSON.stringify(one)).toSorted();

test.each(FORMATS)('an SBOM has the same components in %s as its model', (format, write) => {
  fc.assert(
    fc.property(models, (model) => {
      const { read, unreadable } = readComponents(Buffer.from(write(model)));
      expect(unreadable).toBeNull();
      expect(read?.format).toBe(format.split(' ')[0]);
      expect(sorted(read?.components ?? [])).toEqual(sorted(expectedOf(model)));
    }),
    { numRuns: 150 },
  );
});

test('an SBOM has the same list in every format and every order of its entries', () => {
  const order = fc.tuple(models, fc.nat()).map(([model, seed]): [Model, Model] => {
    const turn = model.components.length === 0 ? 0 : seed % model.components.length;
    const turned = [...model.components.slice(turn), ...model.components.slice(0, turn)];
    const place = (number: number) =>
      number === 0 ? 0 : ((number - 1 - turn + model.components.length) % model.components.length) + 1;
    const edges = model.edges.map(([from, to]) => [place(from), place(to)] as const).toReversed();
    return [model, { ...model, components: turned, edges }];
  });
  fc.assert(
    fc.property(order, ([model, turned]) => {
      const lists = [
        ...FORMATS.map(([, write]) => readComponents(Buffer.from(write(model))).read?.components),
        ...FORMATS.map(([, write]) => readComponents(Buffer.from(write(turned))).read?.components),
      ];
      expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(1);
    }),
    { numRuns: 60 },
  );
});
