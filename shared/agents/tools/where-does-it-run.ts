import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { invalid } from '#shared/base/errors.ts';
import { timeText } from '#shared/base/texts/instants.ts';
import { packageQuestion } from '#shared/components/rules/question.ts';
import type { Said } from '#shared/components/rules/said.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { HeldArtifact } from '#shared/exposure/ask-exposure.ts';
import type { UnknownArtifact } from '#shared/exposure/find-unknown.ts';
import { readExposure } from '#shared/exposure/read-exposure.ts';
import { quote, quoteAll } from '../rules/quote.ts';
import type { AnswerRow } from '../rules/tool-answer.ts';
import { stateWord } from '../rules/words.ts';
import { tool } from '../tool.ts';
import { instant, microsOf } from './fields.ts';

/** Pages that are read for one answer, and builds of each. */
const MOST_PAGES = 4;
const PAGE = 50;
/** Statements about one artifact that an answer has. */
const MOST_STATEMENTS = 3;

/** Says where a component of SBOMs runs and ran (rules/agents.md#tools). */
export const whereDoesItRun = tool({
  name: 'where_does_it_run',
  title: 'Where does a component run?',
  description:
    'Says which artifacts hold a package in an asked version by their SBOMs, where they run now or ran, which of them are said not to be affected and by whom, and which running artifacts have no readable SBOM, so that nobody knows. Takes a package URL with a version, or without one and a range such as vers:npm/<4.17.21.',
  input: {
    purl: z.string().min(1).max(1024).describe('Package URL, such as pkg:npm/lodash'),
    versions: z.string().min(1).max(4096).optional().describe('Range in the form of VERS, such as vers:npm/<4.17.21'),
    vulnerability: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe('Name of the vulnerability, such as CVE-2021-23337: only statements about it count'),
    at: instant,
  },
  access: 'reader',
  run: async ({ services, org, host, now }, { purl, versions, vulnerability, at }) => {
    const read = packageQuestion(purl, versions);
    if ('errors' in read) throw invalid(read.errors);
    const asOf = microsOf(at) ?? now;
    const bounds = { pages: MOST_PAGES, limit: PAGE, vulnerability };
    const found = await readExposure(services, org.id, read.question, asOf, bounds);
    const affected = found.affected.toSorted(runningFirst);
    const notAffected = found.notAffected.toSorted(runningFirst);
    const { undecided, notKnown } = found;
    const asked = new URLSearchParams({
      purl,
      ...(versions !== undefined && { versions }),
      ...(vulnerability !== undefined && { vulnerability }),
    });
    const running = affected.filter(isRunning).length;
    const isComplete = found.next === null;
    const beyond = isComplete ? '' : ' There is more than this answer looked at.';
    return {
      verdict: `${affected.length} artifacts hold it, ${running} of them run at ${timeText(asOf)}. ${notAffected.length} more are said not to be affected. Of ${undecided.length} more nobody can say whether the version is meant, and ${notKnown.length} artifacts run without a readable SBOM.${beyond}`,
      facts: {
        at: timeText(asOf),
        affected: affected.length,
        running,
        not_affected: notAffected.length,
        undecided: undecided.length,
        not_known: notKnown.length,
        is_complete: isComplete,
      },
      rows: [
        ...affected.map((one) => heldRow(one, 'holds it')),
        ...notAffected.map((one) => heldRow(one, 'holds it and is said not to be affected')),
        ...undecided.map((one) => heldRow(one, 'may hold it')),
        ...notKnown.map(unknownRow),
      ],
      ask: 'Read the whole answer at the address of the exposure, page by page.',
      citations: [
        { what: 'the exposure', url: `${absolute(host, `${BASE_PATH}/components/${org.name}/exposure`)}?${asked}` },
        ...affected.slice(0, 1).map(({ build, flowName }) => ({
          what: 'the trail of the first SBOM',
          url: pageUrl({ host, org }, '/{org}/flows/{flow}/trails/{trail}', { flow: flowName, trail: build.trail }),
        })),
      ],
    };
  },
});

const isRunning = ({ runs }: HeldArtifact): boolean => runs.some((one) => one.runs.at(-1)?.to === null);

const runningFirst = (a: HeldArtifact, b: HeldArtifact): number => Number(isRunning(b)) - Number(isRunning(a));

function heldRow({ artifact, held, build, flowName, runs, statements }: HeldArtifact, verb: string): AnswerRow {
  const name = artifact.name === null ? artifact.fingerprint.slice(0, 12) : quote(artifact.name);
  const versions = quoteAll(
    held.map(({ version }) => version ?? 'no version'),
    5,
  );
  const places = runs.map(({ environment, runs: all }) => {
    const last = all.at(-1);
    const from = last?.from ? `since ${timeText(last.from)}` : 'since an unknown time';
    const until = last?.to ? `, until ${timeText(last.to)}` : '';
    return `${quote(environment.name)} ${from}${until} (${stateWord(last?.compliant ?? null)})`;
  });
  const said = statements.slice(0, MOST_STATEMENTS).map(saidText);
  const statedText = said.length === 0 ? '' : `. Said: ${said.join('; ')}`;
  return {
    sentence: `${name} ${verb} (${versions}): ${places.length === 0 ? 'it never ran' : places.join('; ')}${statedText}`,
    facts: {
      artifact: name,
      fingerprint: artifact.fingerprint,
      versions,
      flow: quote(flowName),
      trail: quote(build.trail),
      sbom: build.id,
      environments: places,
      ...(said.length > 0 && { statements: said }),
    },
  };
}

function saidText({ vulnerabilities, status, justification, grade, signer, by, at }: Said): string {
  const who = signer === null ? quote(by) : `the signer ${quote(signer)}`;
  const why = justification === null ? '' : ` because of ${quote(justification)}`;
  return `${quote(vulnerabilities[0] ?? '')} is ${status.replaceAll('_', ' ')}${why}, by ${who} on ${timeText(at)} (${grade})`;
}

function unknownRow({ environment, artifact, why, snapshot }: UnknownArtifact): AnswerRow {
  const name = artifact === null ? 'what runs' : quote(artifact.name);
  return {
    sentence: `${name} in ${quote(environment.name)} is not known: ${quote(why)}`,
    facts: { artifact: name, environment: quote(environment.name), snapshot, not_known: quote(why) },
  };
}
