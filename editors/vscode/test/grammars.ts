// The grammars must colour the style guide of each language correctly.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import { INITIAL, Registry, parseRawGrammar } from 'vscode-textmate';

const root = path.join(__dirname, '..');

// Each expectation is a text and the scope that it must have somewhere in the file.
const expected: Record<string, { file: string; scopes: [string, string][] }> = {
  coil: { file: 'lang/coil/canonical.coilcfg', scopes: [['Target', 'entity.name.section'], ['PU', 'variable.other.property'], ['=', 'keyword.operator']] },
  paradyn: { file: 'lang/paradyn/canonical.psdl', scopes: [['daemon', 'keyword.control'], ['command', 'variable.other.property']] },
  sprokit: { file: 'lang/sprokit/canonical.pipe', scopes: [['process', 'keyword.control'], ['connect', 'keyword.control'], ['::', 'keyword.operator']] },
  pdi: { file: 'lang/pdi/canonical.yml', scopes: [['metadata', 'entity.name.section'], ['type', 'variable.other.property']] },
  pinsight: { file: 'lang/pinsight/canonical.pinsight', scopes: [['OpenMP.default', 'entity.name.section'], ['=', 'keyword.operator']] },
};

async function main(): Promise<void> {
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    loadGrammar: async (scope) => {
      const file = path.join(root, 'grammars', scope.replace('source.', '') + '.json');
      return parseRawGrammar(fs.readFileSync(file, 'utf8'), file);
    },
  });
  for (const [language, { file, scopes }] of Object.entries(expected)) {
    const grammar = await registry.loadGrammar('source.' + language);
    assert(grammar, language);
    const seen = new Set<string>();
    let state = INITIAL;
    for (const line of fs.readFileSync(path.join(root, '../..', file), 'utf8').split('\n')) {
      const result = grammar.tokenizeLine(line, state);
      state = result.ruleStack;
      for (const t of result.tokens) {
        const text = line.slice(t.startIndex, t.endIndex).trim();
        for (const scope of t.scopes) {
          seen.add(text + ' ' + scope);
        }
        if (/^\s*(#|\/\/)/.test(line)) {
          assert(t.scopes.some((s) => s.startsWith('comment.')), `${file}: \`${line}\` is not coloured as a comment`);
        }
      }
    }
    for (const [text, scope] of scopes) {
      assert(seen.has(`${text} ${scope}.${language}`), `${file}: \`${text}\` has no scope ${scope}`);
    }
  }
  console.log(`grammars: ${Object.keys(expected).length} languages are coloured`);
}

main().catch((err: unknown) => {
  console.error(err);
  process.exitCode = 1;
});
