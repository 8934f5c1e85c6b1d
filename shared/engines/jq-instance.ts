import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';

/** One instance of the jq engine, with memory of its own. */
export interface JqInstance {
  /**
   * @returns what the program printed, a line of JSON for each output
   * @throws JqExit when jq ended by its own decision; anything else means that the instance is broken
   */
  run(json: string, program: string): string;
  /** True when the engine was refused memory; it is broken then. */
  readonly outOfMemory: boolean;
}

/** jq ended with a status other than 0: the program does not compile, or failed. */
export class JqExit extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'JqExit';
  }
}

/** What the engine's own module exports: a promise of its only two functions. */
interface JqModule {
  raw(json: string, program: string, flags: readonly string[]): string | undefined;
}

type Exports = Readonly<Record<string, unknown>>;

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of the global that is used; the types of the runtime leave it out. */
interface WasmApi {
  compile(binary: Uint8Array): Promise<object>;
  instantiate(module: object, imports: unknown): Promise<{ exports: Exports }>;
  Memory: new () => Memory;
  RuntimeError: ErrorConstructor;
}

const { WebAssembly: wasmApi } = globalThis as unknown as { WebAssembly: WasmApi };

const PAGE_BYTES = 65_536;

/**
 * The engine comes with a stack of 64 KB, which a document of 40 nested arrays overflows; the overflow writes over the
 * engine's data unnoticed (docs/decisions/0003). This many bytes are more than the machine stack can bear, so that
 * recursion without end is a clean error.
 */
const STACK_BYTES = 8 * 1024 * 1024;

/**
 * Loads the engine once.
 * @param jqPath the module file of the package; `jq.wasm` lies beside it
 * @returns a function that makes fresh instances, at a few milliseconds each: nothing outlives an instance
 */
export async function loadJq(jqPath: string, memoryMb: number): Promise<() => Promise<JqInstance>> {
  const wasm = await wasmApi.compile(readFileSync(join(dirname(jqPath), 'jq.wasm')));
  const require = createRequire(jqPath);
  const names = ['module', 'exports', 'require', '__filename', '__dirname', 'WebAssembly'];
  const load = compileFunction(readFileSync(jqPath, 'utf8'), names, { filename: jqPath });
  return async () => {
    const state = { outOfMemory: false };
    const module = { exports: {} as Promise<JqModule> };
    const instantiate = async (_binary: unknown, imports: unknown) => {
      const instance = await wasmApi.instantiate(wasm, imports);
      enlargeStack(instance.exports);
      limitMemory(memoryOf(instance.exports), memoryMb, state);
      return { instance, module: wasm };
    };
    const ownWebAssembly = { RuntimeError: wasmApi.RuntimeError, instantiate };
    load(module, module.exports, require, jqPath, dirname(jqPath), ownWebAssembly);
    const { raw } = await module.exports;
    return {
      run: (json, program) => runRaw(raw, json, program),
      get outOfMemory() {
        return state.outOfMemory;
      },
    };
  };
}

function runRaw(raw: JqModule['raw'], json: string, program: string): string {
  try {
    return raw(json, program, ['-c']) ?? '';
  } catch (error) {
    if (error instanceof Error && typeof Reflect.get(error, 'exitCode') === 'number') {
      throw new JqExit(String(Reflect.get(error, 'stderr')), error);
    }
    throw error;
  }
}

function memoryOf(exports: Exports): Memory {
  const { memory } = exports as { memory?: unknown };
  if (!(memory instanceof wasmApi.Memory)) throw new Error('the jq engine exports no memory');
  return memory;
}

/**
 * Moves the stack up by {@link STACK_BYTES}, and the heap's beginning with it. The heap begins where the stack does, in
 * a variable of the engine's allocator that is found by its value: the one word of the initial memory equal to it.
 */
function enlargeStack(exports: Exports): void {
  const current = exports['emscripten_stack_get_current'];
  const restore = exports['_emscripten_stack_restore'];
  if (typeof current !== 'function' || typeof restore !== 'function') throw new Error('the jq engine exports no stack');
  const top = Number(current());
  const words = new Uint32Array(memoryOf(exports).buffer, 0, top / Uint32Array.BYTES_PER_ELEMENT);
  const heapStart = words.indexOf(top);
  if (heapStart < 0 || words.indexOf(top, heapStart + 1) >= 0) throw new Error('the jq engine has no known heap start');
  words[heapStart] = top + STACK_BYTES;
  restore(top + STACK_BYTES);
}

/** The engine asks for memory through this one function, and gives up cleanly where it fails. */
function limitMemory(memory: Memory, memoryMb: number, state: { outOfMemory: boolean }): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES > memoryMb * 1024 * 1024) {
      state.outOfMemory = true;
      throw new RangeError('memory limit of the jq engine');
    }
    return grow(pages);
  };
}
