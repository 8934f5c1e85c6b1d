import { whatRuns } from './tools/what-runs.ts';
import { whyNotCompliant } from './tools/why-not-compliant.ts';

/** Every tool, in the order in which agents see them (rules/agents.md#tools). */
export const TOOLS = [whyNotCompliant, whatRuns] as const;
