import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readmeFigures, withFigures } from '../bench/page/readme.ts';

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('the README has the figures of docs/benchmarks.md', () => {
  const readme = textOf('README.md');
  expect(readme).toBe(withFigures(readme, textOf('docs/benchmarks.md')));
});

const BILL = `# Benchmarks

## A month's bill

| Assumption | 10 developers | 300 developers | 5,000 developers |
| --- | --: | --: | --: |
| Environments | 1 | 2 | 3 |

|  | 10 developers | 300 developers | 5,000 developers |
| --- | --: | --: | --: |
| What runs without any request | 4.00 | 4.50 | 4.75 |
| **Together** | **10.00** | **20.50** | **300.75** |
`;

it('takes each figure from the cell of its row and column', () => {
  expect(readmeFigures(BILL).split('\n').slice(2)).toEqual([
    '| [A month for 10 developers](docs/benchmarks.md#a-months-bill) | $ 10.00 |',
    '| [A month for 300 developers](docs/benchmarks.md#a-months-bill) | $ 20.50 |',
    '| [A month for 5,000 developers](docs/benchmarks.md#a-months-bill) | $ 300.75 |',
    '| [A month of one region without any request](docs/benchmarks.md#a-months-bill) | $ 4.50 |',
  ]);
});

it('fails if a section does not have its figure', () => {
  const page = BILL.replace('**Together**', '**Sum**');
  expect(() => readmeFigures(page)).toThrow("No table has a row 'Together' with a column '10 developers'");
});

it('fails if the README has no place for the figures', () => {
  expect(() => withFigures('# Service\n', BILL)).toThrow('The README has no lines');
});
