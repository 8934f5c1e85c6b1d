import { draftAttestation, draftExpectation, draftOverride, draftPolicy } from './tools/drafts.ts';
import { dryRunPolicy } from './tools/dry-run-policy.ts';
import { explainEvaluation } from './tools/explain-evaluation.ts';
import { find } from './tools/find.ts';
import { gapsAndDue } from './tools/gaps-and-due.ts';
import { mayRelease } from './tools/may-release.ts';
import { trailEvidence } from './tools/trail-evidence.ts';
import { verifyEvidence } from './tools/verify-evidence.ts';
import { whatChanged } from './tools/what-changed.ts';
import { whatRuns } from './tools/what-runs.ts';
import { whereDoesItRun } from './tools/where-does-it-run.ts';
import { whoWasTold } from './tools/who-was-told.ts';
import { whyNotCompliant } from './tools/why-not-compliant.ts';

/** Every tool, in the order in which agents see them (rules/agents.md#tools). */
export const TOOLS = [
  ...[whyNotCompliant, whatRuns, whatChanged, mayRelease, trailEvidence],
  ...[find, explainEvaluation, dryRunPolicy, gapsAndDue, whereDoesItRun, whoWasTold, verifyEvidence],
  ...[draftAttestation, draftOverride, draftPolicy, draftExpectation],
] as const;
