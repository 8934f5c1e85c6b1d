/** The part of what the builder knows of a module that decides its file. */
interface Module {
  /** The modules that import it. */
  importers: readonly string[];
  /** The modules that load it when they need it. */
  dynamicImporters: readonly string[];
  isEntry: boolean;
}

/** Where a chunk finds the modules of the console. */
interface Modules {
  /** @returns null for a module that the builder does not know */
  read: (id: string) => Module | null;
  /** The path from the root of the repository on. */
  pathOf: (id: string) => string;
}

/** Libraries of every page. They change less often than the application, so browsers keep their file over releases. */
const LIBRARIES =
  /\/node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?:react-router|router-core|history|react-store|store|react-query|query-core))\//;

/** A module that this many pages share lies in a file of the first load. */
const SHARED_BY = 20;

/** A page, or what pages load when they need it. Parts belong to no theme. */
const START = /^console\/(?!parts\/)([a-z]+)\/(?:.*\/)?[a-z-]+\.tsx$/;

/** The groups in the order in which they take their modules. The themes are the last one. */
export const GROUPS = ['libraries', 'first', 'parts', 'shared', 'theme'] as const;

/**
 * Names the file that a module is compiled into. Without groups, the builder makes a file for each set of pages that share a
 * module, and a page then loads dozens of files (rules/web-console.md#build).
 *
 * @returns null if only one page needs the module, so that it belongs into the file of this page
 */
export function chunkOf(id: string, modules: Modules): { group: (typeof GROUPS)[number]; name: string } | null {
  const inGroup = (group: (typeof GROUPS)[number], name: string = group) => ({ group, name });
  if (LIBRARIES.test(id)) return inGroup('libraries');
  const starts = startsOf(id, modules);
  if (starts.some((start) => modules.read(start)?.isEntry)) return inGroup('first');
  if (starts.length <= 1) return null;
  if (starts.length >= SHARED_BY) return inGroup('first');
  const [theme, ...others] = new Set(starts.map((start) => START.exec(modules.pathOf(start))?.[1]));
  if (others.length === 0 && theme !== undefined) return inGroup('theme', theme);
  return inGroup(/^console\/(?:parts|package|proof|model)\//.test(modules.pathOf(id)) ? 'parts' : 'shared');
}

/** The modules that load a module: the entry, pages, and what pages load later. */
function startsOf(id: string, { read }: Modules): string[] {
  // A set is walked to its end, also to what is added on the way.
  const above = new Set([id]);
  for (const one of above) for (const importer of read(one)?.importers ?? []) above.add(importer);
  return [...above].filter((one) => {
    const known = read(one);
    return known !== null && (known.isEntry || known.dynamicImporters.length > 0);
  });
}
