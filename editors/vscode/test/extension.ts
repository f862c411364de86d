// The packaged extension, unpacked and loaded with a stand-in for the editor:
// it must start the real server, answer a hover, and stop it again. In an
// untrusted workspace it must start nothing.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import Module from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import yauzl from 'yauzl';
import { StandIn, type Document } from './standin';

const program = process.env['PENTODE'];
assert(program, 'PENTODE must name the program');
const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pentode-')));

interface Extension {
  activate(context: { subscriptions: { dispose(): void }[] }): Promise<void>;
  deactivate(): Promise<void>;
}

async function unpack(file: string, into: string): Promise<string[]> {
  const zip = await new Promise<yauzl.ZipFile>((resolve, reject) => yauzl.open(file, { lazyEntries: true }, (err, z) => (err ? reject(err) : resolve(z))));
  const names: string[] = [];
  return new Promise((resolve, reject) => {
    zip.on('error', reject);
    zip.on('end', () => resolve(names));
    zip.on('entry', (entry: yauzl.Entry) => {
      const target = path.join(into, entry.fileName);
      names.push(entry.fileName);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      zip.openReadStream(entry, (err, stream) => {
        if (err) {
          return reject(err);
        }
        stream.pipe(fs.createWriteStream(target)).on('close', () => zip.readEntry());
      });
    });
    zip.readEntry();
  });
}

// load runs the extension's code as the editor would.
function load(file: string, standIn: StandIn): Extension {
  const resolve = Module as unknown as { _load(request: string, parent: unknown, main: boolean): unknown };
  const original = resolve._load;
  resolve._load = (request, parent, main) => (request === 'vscode' ? standIn.api : original(request, parent, main));
  try {
    delete require.cache[file];
    return require(file) as Extension;
  } finally {
    resolve._load = original;
  }
}

async function main(): Promise<void> {
  const names = await unpack(path.join(__dirname, '..', 'pentode.vsix'), dir);
  const file = path.join(dir, 'extension/dist/extension.js');
  assert(names.includes('extension/dist/extension.js'), 'the package has the bundled client');
  assert(!names.some((n) => n.includes('node_modules')), 'the package has no other modules');
  assert(fs.statSync(file).size > 100_000, 'the client is bundled');

  const text = 'process count\n  :: numbers\n  end = 3\n';
  const document: Document = { uri: pathToFileURL(path.join(dir, 'a.pipe')).toString(), languageId: 'sprokit', version: 1, text };

  const closed = new StandIn({ trusted: false, program: program!, documents: [document] });
  const untrusted = load(file, closed);
  await untrusted.activate({ subscriptions: [] });
  assert(!closed.providers.has('registerHoverProvider'), 'nothing is served in an untrusted workspace');
  await untrusted.deactivate();

  const open = new StandIn({ trusted: true, program: program!, documents: [document] });
  const extension = load(file, open);
  await extension.activate({ subscriptions: [] });
  const hover = await open.hover(document, { line: 1, character: 7 });
  assert(hover.includes('numbers'), 'the hover names the type: ' + hover);
  await extension.deactivate();

  // Many programs use YAML: the server decides which files are specification trees.
  const yaml = Object.entries({
    'tree.yml': 'duration: 0.5\ndata:\n  field: {type: array, subtype: double, size: 3}\n',
    'configmap.yml': 'apiVersion: v1\nkind: ConfigMap\ndata:\n  level: int\n',
    'compose.yml': 'services:\n  web: {image: x}\nvolumes:\n  data:\n',
    'workflow.yml': 'on: push\njobs: {}\n',
  }).map(([name, text]): Document => {
    fs.writeFileSync(path.join(dir, name), text);
    return { uri: pathToFileURL(path.join(dir, name)).toString(), languageId: 'yaml', version: 1, text };
  });
  const mixed = new StandIn({ trusted: true, program: program!, documents: yaml });
  const recognising = load(file, mixed);
  await recognising.activate({ subscriptions: [] });
  assert.deepEqual(mixed.chosen, { 'tree.yml': 'pdi' }, 'only the specification tree is recognised');
  await recognising.deactivate();

  const foreign = new StandIn({ trusted: true, program: '/nowhere/pentode', documents: yaml });
  const silent = load(file, foreign);
  await silent.activate({ subscriptions: [] });
  assert.deepEqual([foreign.messages, foreign.chosen], [[], {}], 'a YAML file causes no message that the program is missing');
  await silent.deactivate();

  const missing = new StandIn({ trusted: true, program: '/nowhere/pentode', documents: [document] });
  const telling = load(file, missing);
  await telling.activate({ subscriptions: [] });
  assert.equal(missing.messages.length, 1, 'a pipeline causes one message: ' + missing.messages.join('; '));
  await telling.deactivate();
  console.log('extension: the package starts the server, answers and stops it');
}

main()
  .catch((err: unknown) => {
    console.error(err);
    process.exitCode = 1;
  })
  .finally(() => {
    fs.rmSync(dir, { recursive: true });
    process.exit(); // otherwise a server that was not stopped would keep this program alive
  });
