// Records what the originals make of texts, for TestWholeVocabularies: node record.js OUT NAME=tokenizer.json ... < TEXTS, a text a line, with
// npm install --ignore-scripts @anush008/tokenizers@0.6.0 @anush008/tokenizers-linux-x64-gnu@0.6.0, which are the library of Hugging Face itself.
const fs = require("fs");
const { Tokenizer } = require("@anush008/tokenizers");

(async () => {
  const [out, ...models] = process.argv.slice(2);
  const texts = JSON.parse(fs.readFileSync(__dirname + "/expected.json")).texts.concat(fs.readFileSync(0, "utf8").split("\n"));
  const all = { texts, models: {} };
  for (const m of models) {
    const [name, file] = m.split("=");
    const t = await Tokenizer.fromFile(file);
    all.models[name] = { file, rows: [] };
    for (const text of texts) {
      const e = await t.encode(text);
      all.models[name].rows.push({ ids: e.getIds(), text: await t.decode(e.getIds(), true) });
    }
  }
  fs.writeFileSync(out, JSON.stringify(all));
})();
