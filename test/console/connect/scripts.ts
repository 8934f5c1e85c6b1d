import { parse } from 'yaml';
import type { CiName } from '#console/connect/model/choices.ts';
import type { ConnectPlace } from '#console/connect/model/place.ts';
import { workflowOf } from '#console/connect/model/workflows.ts';

/** Every script that a CI system hands to a shell. */
export function scriptsOf(ci: CiName, place: ConnectPlace): string[] {
  const text = workflowOf(ci, place);
  if (ci === 'other') return [text];
  if (ci === 'jenkins')
    return [...text.matchAll(/sh '''\n(.*?)'''/gs)].map(([, script = '']) => script.replaceAll('\\\\', '\\'));
  const scripts: string[] = [];
  const walk = (value: unknown, key = ''): void => {
    if (typeof value === 'string' && ['run', 'script', 'bash', 'command'].includes(key)) scripts.push(value);
    else if (Array.isArray(value)) for (const one of value) walk(one, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) walk(one, name);
  };
  walk(parse(text));
  // What Buildkite makes of the text before a shell gets it.
  return ci === 'buildkite' ? scripts.map((script) => script.replaceAll('$$', '$')) : scripts;
}
