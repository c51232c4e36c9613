package platform

// LoadMeasured reads into v what SaveMeasured has kept of this kind and version for this
// device, driver and version of the module. Whatever is wrong with the file, it is
// as if it were not there: then v is not to be used.
func (o *Opened) LoadMeasured(kind string, version int, v any) bool {
	return o.device.load(o.opts.CacheDir, kind, version, v)
}

// SaveMeasured keeps v, as JSON, in place of what was kept before. Kind is one word. It does
// nothing where nothing is kept. Errors: the folder cannot be written.
func (o *Opened) SaveMeasured(kind string, version int, v any) error {
	return o.device.save(o.opts.CacheDir, kind, version, v)
}
