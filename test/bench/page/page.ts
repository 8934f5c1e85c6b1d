import { cpus, totalmem } from 'node:os';
import { describeSeen } from '../noise/watch.ts';
import type { Part } from '../part.ts';
import type { StoredResult } from '../results.ts';
import { table } from './markdown.ts';
import {
  BILLS,
  COMPONENTS,
  EXPORT_TIMES,
  LARGE_REPORTS,
  LOG_TIMES,
  LOOKS,
  ONE_MACHINE,
  SIGNATURE_TIMES,
} from './other-programs.ts';

/** Makes the page of the benchmarks, in Markdown, from the results of all parts. */

export interface MeasuredPart {
  part: Part<unknown>;
  stored: StoredResult;
}

/** @param missing names of parts that have no result */
export function page(measured: readonly MeasuredPart[], missing: readonly string[] = []): string {
  const missed = measured.map(({ part, stored }) => ({
    title: titleOf(part.section(stored.result)),
    sentences: part.missed(stored.result),
  }));
  const sections = measured.map(({ part, stored }) => part.section(stored.result).trim());
  return `${[
    '# Benchmarks',
    summaryOf(missed),
    ...(missing.length === 0 ? [] : [`**Not measured:** ${missing.join(', ')}.`]),
    HOW.trim(),
    ...sections,
    BILLS,
    COMPONENTS,
    LOOKS,
    LOG_TIMES,
    EXPORT_TIMES,
    SIGNATURE_TIMES,
    LARGE_REPORTS,
    ONE_MACHINE,
    conditionsOf(measured),
    listOf(missed),
  ].join('\n\n')}\n`;
}

const HOW = `
\`npm run bench\` measures these figures and writes this page. It takes about 25 minutes and does not write the page if
[other work](#conditions) ran on the machine. \`npm run bench -- --part NAME\` measures one part. Functions, gateway, database and
bucket are those of the local stack, on ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}.

Calls and units are counted and do not depend on the machine. Rates and times depend on it, and the local database says nothing
about the times of the real one. A figure such as \`2.0 (1.9–2.1)\` is the median over the rounds of its
measurement and, in parentheses, the quartiles: half of the rounds lie between them.
`;

interface Missed {
  title: string;
  sentences: readonly string[];
}

const titleOf = (section: string): string => /^## (.+)$/m.exec(section)?.[1] ?? '';

/** The anchor of a heading, as renderers of Markdown make it. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** Names what falls short, because a reader looks for that first. */
function summaryOf(missed: readonly Missed[]): string {
  const short = missed.filter(({ sentences }) => sentences.length > 0);
  const count = short.reduce((sum, { sentences }) => sum + sentences.length, 0);
  if (count === 0) return '**What falls short:** every part reaches its goals.';
  const parts = short.map(({ title, sentences }) => `${sentences.length} in [${title}](#${anchorOf(title)})`);
  const goals = count === 1 ? '1 goal is missed' : `${count} goals are missed`;
  return `**What falls short:** ${goals} ([list](#missed-goals)): ${parts.join(', ')}.`;
}

const conditionsOf = (measured: readonly MeasuredPart[]): string =>
  `## Conditions

Other work is the processor time of all processes that do not belong to the benchmark. It was measured for some seconds before
each part, and in stretches of ten seconds while the part ran.

${table(
  ['Part', 'day', 'seconds', 'other work before', 'other work meanwhile'],
  measured.map(({ part, stored: { day, seconds, before, during } }) => [
    `\`${part.name}\``,
    day,
    seconds,
    describeSeen(before),
    describeSeen(during),
  ]),
)}`;

function listOf(missed: readonly Missed[]): string {
  const lines = missed.flatMap(({ title, sentences }) => sentences.map((sentence) => `- ${title}: ${sentence}`));
  return `## Missed goals\n\n${lines.length === 0 ? 'None.' : lines.join('\n')}`;
}
