import type { Component } from '#shared/components/rules/component.ts';
import { postedComponent } from '#shared/components/rules/package-name.ts';
import { answersTo } from '#shared/components/rules/question.ts';
import { questionOf } from '../rules/asked-question.ts';
import type { Watch } from '../rules/watch.ts';

/**
 * Returns a function of the components of an SBOM: the watches that ask for a version among them. A version of which nobody can say whether a
 * watch means it does not count (rules/watches.md#matches).
 */
export function holdersAmong(watches: readonly Watch[]): (components: readonly Component[]) => Watch[] {
  const asked = watches.map((watch) => ({ watch, question: questionOf(watch) }));
  return (components) => {
    const packages = Map.groupBy(components, (component) => postedComponent(component).package);
    return asked
      .filter(({ question }) =>
        packages.get(question.package)?.some((component) => answersTo(question, component) === 'yes'),
      )
      .map(({ watch }) => watch);
  };
}
